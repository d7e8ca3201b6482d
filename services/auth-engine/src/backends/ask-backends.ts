import type { AuthDecision } from "@postern/shared/contracts";
import { AppError, fromUnknown } from "@postern/shared/platform/errors";
import type { Attempt } from "../pipeline/attempt.ts";
import { type AccountFacts, denial, type Step, type StepContext } from "../pipeline/step.ts";
import type { Backend, BackendQuery } from "./backend.ts";
import type { BackendsByName } from "./backends-by-name.ts";
import { noteAccount, okDecision } from "./found-account.ts";

/**
 * Looks the account up, without a password, in the first backend that knows it. A disabled account counts as unknown.
 *
 * @throws AppError if a backend was unavailable and no other knows the user.
 */
export async function lookUpAccount(
  attempt: Attempt,
  context: StepContext,
  backends: BackendsByName,
): Promise<AuthDecision> {
  const query = backendQuery(attempt);
  const { found, denied, unavailable } = await askBackends(await backends.of(query.username), (backend) =>
    backend.lookup(query, context),
  );
  if (found?.outcome.kind === "ok") {
    noteAccount(found.backend, found.outcome.account.groups, attempt, context);
    return okDecision(found.backend, found.outcome.account, attempt);
  }
  if (unavailable !== undefined) throw unavailable;
  // After an accepted token or a master user's password, what another server denies counts against no network.
  return denial(denied !== undefined && attempt.operation === "authenticate" ? "remote_denied" : "unknown_user");
}

/** `mode=no-auth`: the account, without a password. */
export const lookUpInBackends: Step<AccountFacts, { readonly backends: BackendsByName }> = {
  name: "look-up-in-backends",
  run: (attempt, context, { backends }) =>
    attempt.operation === "lookup" ? lookUpAccount(attempt, context, backends) : undefined,
};

export function backendQuery(attempt: Attempt): BackendQuery {
  const { username, protocol, clientIp, clientPort, localIp, localPort } = attempt;
  return { username, protocol, clientIp, clientPort, localIp, localPort, request: attempt };
}

/** Result of querying the backends in order, up to the first that knows the user. */
export interface BackendSearch<Outcome> {
  /** The first backend that knows the user, with its outcome. */
  readonly found: { readonly backend: Backend; readonly outcome: KnownUser<Outcome> } | undefined;
  /** The backends that serve the protocol but do not know the user, in order. */
  readonly unknownTo: readonly Backend[];
  /** The first denial of a backend that does not say whether it knows the user. */
  readonly denied: DenialOf<Outcome> | undefined;
  /** The backends behind that one. */
  readonly left: readonly Backend[];
  /** Why the first unavailable backend could not answer. */
  readonly unavailable: AppError | undefined;
}

type AnyOutcome = { readonly kind: string };

type DenialOf<Outcome> = Extract<Outcome, { readonly kind: "denied" }>;
type KnownUser<Outcome> = Exclude<
  Outcome,
  { readonly kind: "unknown_user" } | { readonly kind: "not_served" } | { readonly kind: "denied" }
>;

function isDenied<Outcome extends AnyOutcome>(outcome: Outcome): outcome is DenialOf<Outcome> {
  return outcome.kind === "denied";
}

function knowsUser<Outcome extends AnyOutcome>(outcome: Outcome): outcome is KnownUser<Outcome> {
  return outcome.kind !== "unknown_user" && outcome.kind !== "not_served" && outcome.kind !== "denied";
}

/**
 * An unavailable backend does not end the search, nor does a denial that does not say whether the user exists: the user may exist in a
 * later one. The step that asked decides whether the missing answer matters.
 *
 * @throws AppError DIRECTORY_NOT_CONFIGURED if no backend serves the protocol; errors of other kinds than `unavailable`
 * immediately.
 */
export async function askBackends<Outcome extends AnyOutcome>(
  backends: readonly Backend[],
  ask: (backend: Backend) => Promise<Outcome>,
): Promise<BackendSearch<Outcome>> {
  const unknownTo: Backend[] = [];
  let unavailable: AppError | undefined;
  let denied: DenialOf<Outcome> | undefined;
  for (const [index, backend] of backends.entries()) {
    try {
      const outcome = await ask(backend);
      const left = backends.slice(index + 1);
      if (knowsUser(outcome)) return { found: { backend, outcome }, unknownTo, denied, left, unavailable };
      if (isDenied(outcome)) denied ??= outcome;
      if (outcome.kind === "unknown_user") unknownTo.push(backend);
    } catch (thrown) {
      const error = fromUnknown(thrown);
      if (error.row.kind !== "unavailable") throw error;
      unavailable ??= error;
    }
  }
  if (unknownTo.length === 0 && unavailable === undefined && denied === undefined)
    throw new AppError("DIRECTORY_NOT_CONFIGURED");
  return { found: undefined, unknownTo, denied, left: [], unavailable };
}
