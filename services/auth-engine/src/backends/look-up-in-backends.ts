import type { AuthDecision } from "@postern/shared/contracts";
import type { Attempt } from "../pipeline/attempt.ts";
import type { AccountFacts } from "../pipeline/facts.ts";
import { denial, type Step, type StepContext } from "../pipeline/step.ts";
import { askBackends, backendQuery } from "./ask-backends.ts";
import type { Backend } from "./backend.ts";
import { noteAccount, okDecision } from "./found-account.ts";

/**
 * Looks the account up, without a password, in the first backend that knows it. A disabled account counts as unknown.
 *
 * @throws AppError if a backend was unavailable and no other knows the user.
 */
export async function lookUpAccount(
  attempt: Attempt,
  context: StepContext,
  backends: readonly Backend[],
): Promise<AuthDecision> {
  const query = backendQuery(attempt);
  const { found, unavailable } = await askBackends(backends, (backend) => backend.lookup(query, context));
  if (found?.outcome.kind === "ok") {
    noteAccount(found.backend, found.outcome.account.groups, attempt, context);
    return okDecision(found.backend, found.outcome.account, attempt);
  }
  if (unavailable !== undefined) throw unavailable;
  return denial("unknown_user");
}

/** `mode=no-auth`: the account, without a password. */
export const lookUpInBackends: Step<AccountFacts, { readonly backends: readonly Backend[] }> = {
  name: "look-up-in-backends",
  run: (attempt, context, { backends }) =>
    attempt.operation === "lookup" ? lookUpAccount(attempt, context, backends) : undefined,
};
