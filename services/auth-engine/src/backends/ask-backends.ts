import { AppError, fromUnknown } from "@postern/shared/platform/errors";
import type { Attempt } from "../pipeline/attempt.ts";
import type { Backend, BackendQuery } from "./backend.ts";

export function backendQuery({ username, protocol, clientIp, clientPort, localIp, localPort }: Attempt): BackendQuery {
  return { username, protocol, clientIp, clientPort, localIp, localPort };
}

/** Result of querying the backends in order, up to the first that knows the user. */
export interface BackendSearch<Outcome> {
  /** The first backend that knows the user, with its outcome. */
  readonly found: { readonly backend: Backend; readonly outcome: KnownUser<Outcome> } | undefined;
  /** The backends that serve the protocol but do not know the user, in order. */
  readonly unknownTo: readonly Backend[];
  /** The backends behind that one. */
  readonly left: readonly Backend[];
  /** Why the first unavailable backend could not answer. */
  readonly unavailable: AppError | undefined;
}

type AnyOutcome = { readonly kind: string };

type KnownUser<Outcome> = Exclude<Outcome, { readonly kind: "unknown_user" } | { readonly kind: "not_served" }>;

function knowsUser<Outcome extends AnyOutcome>(outcome: Outcome): outcome is KnownUser<Outcome> {
  return outcome.kind !== "unknown_user" && outcome.kind !== "not_served";
}

/**
 * An unavailable backend does not end the search: the user may exist in a later one. The step that asked decides
 * whether the missing answer matters.
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
  for (const [index, backend] of backends.entries()) {
    try {
      const outcome = await ask(backend);
      const left = backends.slice(index + 1);
      if (knowsUser(outcome)) return { found: { backend, outcome }, unknownTo, left, unavailable };
      if (outcome.kind === "unknown_user") unknownTo.push(backend);
    } catch (thrown) {
      const error = fromUnknown(thrown);
      if (error.row.kind !== "unavailable") throw error;
      unavailable ??= error;
    }
  }
  if (unknownTo.length === 0 && unavailable === undefined) throw new AppError("DIRECTORY_NOT_CONFIGURED");
  return { found: undefined, unknownTo, left: [], unavailable };
}
