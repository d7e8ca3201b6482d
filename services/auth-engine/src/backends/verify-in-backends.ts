import type { AuthDecision } from "@postern/shared/contracts";
import { createWeightedChoice } from "@postern/shared/domain/passwords";
import type { KeyedDigest, Secret } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import type { Attempt } from "../pipeline/attempt.ts";
import { type AccountFacts, denial, type Step, type StepContext } from "../pipeline/step.ts";
import { askBackends, type BackendSearch, backendQuery } from "./ask-backends.ts";
import type { Backend, VerifyOutcome } from "./backend.ts";
import type { BackendsByName } from "./backends-by-name.ts";
import { noteAccount, okDecision } from "./found-account.ts";

/**
 * The share of a site's accounts that each backend has, so that unknown names cost what known accounts cost. Counted by
 * backend name, so the counts survive a reload.
 */
export function createAccountShares(digest: KeyedDigest) {
  const choice = createWeightedChoice<string>(digest, ["", ""], 0);
  return {
    /** Counts an account that was found in a backend. */
    found: (account: string, { name }: Backend): void => choice.learn(account.toLowerCase(), name, name),
    /**
     * The backend in which an unknown name could have been, in proportion to the accounts found so far. The same name
     * always gets the same backend; before anything was learned, the first.
     */
    choose: <Any extends Backend>(name: string, among: readonly [Any, ...Any[]]): Any => {
      if (among.length === 1) return among[0];
      const names = among.map((backend) => backend.name);
      const chosen = choice.chooseAmong(name.toLowerCase(), names);
      return among.find((backend) => backend.name === chosen) ?? among[0];
    },
  };
}

type AccountShares = ReturnType<typeof createAccountShares>;

/** What a backend that knows the account says about its refusal. */
function refusal(outcome: Exclude<Found["outcome"], { readonly kind: "ok" }>): AuthDecision {
  const { detail, mustChangePassword } = { detail: undefined, mustChangePassword: undefined, ...outcome };
  return {
    ...denial(outcome.kind),
    ...(detail === undefined ? {} : { detail }),
    ...(mustChangePassword === true ? { mustChangePassword } : {}),
  };
}

/** What the steps need that query backends. */
export interface BackendDeps {
  readonly backends: BackendsByName;
  readonly accountShares: AccountShares;
}

type Found = NonNullable<BackendSearch<VerifyOutcome>["found"]>;

/** The account's own name, if the backend returned it. */
function accountOf({ outcome }: Found): string | undefined {
  if (outcome.kind === "ok") return outcome.account.account;
  return "account" in outcome ? outcome.account : undefined;
}

/** No backend knows the user, as far as they say. */
function denialOfAll(unknownTo: Backend | undefined, denied: BackendSearch<VerifyOutcome>["denied"]): AuthDecision {
  if (denied === undefined) {
    if (unknownTo === undefined) throw new AppError("INTERNAL", { detail: "no backend answered" });
    return denial("unknown_user");
  }
  const { waitSeconds } = denied;
  return { ...denial("remote_denied"), ...(waitSeconds === undefined ? {} : { waitSeconds }) };
}

/**
 * The first backend that knows the user decides. A denial stands only if every earlier backend answered: the same user
 * may exist in an unavailable one, with the very password that was sent.
 *
 * @throws AppError if no decision was possible.
 */
export async function verifyPassword(
  attempt: Attempt,
  password: Secret,
  context: StepContext,
  { backends: byName, accountShares }: BackendDeps,
): Promise<AuthDecision> {
  const query = backendQuery(attempt);
  const backends = await byName.of(query.username);
  const verify = (backend: Backend): Promise<VerifyOutcome> => backend.verify(query, password, context);
  const { found, unknownTo, denied, left, unavailable } = await askBackends(backends, verify);
  const account = found && accountOf(found);
  if (found !== undefined && backends.length > 1) accountShares.found(account ?? query.username, found.backend);
  if (found?.outcome.kind === "ok") {
    noteAccount(found.backend, found.outcome.account.groups, attempt, context);
    const { account: named, passwordWarning } = found.outcome;
    const decision = okDecision(found.backend, named, attempt);
    return passwordWarning === undefined ? decision : { ...decision, passwordWarning };
  }
  if (unavailable !== undefined) throw unavailable;
  context.facts.accountKnown = found !== undefined;
  if (found !== undefined) {
    context.facts.guessedAccount = account;
    // An unknown name is looked up in all backends: without this, the time would reveal that an earlier one has the account.
    for (const backend of left) await backend.lookup(query, context).catch(() => undefined);
    return refusal(found.outcome);
  }
  const [first, ...others] = unknownTo;
  if (first !== undefined)
    await accountShares.choose(query.username, [first, ...others]).spendVerification(query, password, context);
  return denialOfAll(first, denied);
}

/** Verifies a password in the backends. */
export const verifyInBackends: Step<AccountFacts, BackendDeps> = {
  name: "verify-in-backends",
  run: (attempt, context, deps) => {
    const { operation, password } = attempt;
    if (operation !== "authenticate" || password === undefined) return undefined;
    context.facts.credential = "password";
    return verifyPassword(attempt, password, context, deps);
  },
};
