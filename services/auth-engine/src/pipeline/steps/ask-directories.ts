import { type Awaitable, after, orElse } from "@postern/shared/async";
import { AppError, fromUnknown } from "@postern/shared/errors";
import type { Directory } from "../../directories/directory.ts";

/** What asking the directories one after the other came to, up to the first that knows the user. */
export interface Asked<Outcome> {
  /** The first directory that knows the user, with what it said. */
  readonly found: { readonly directory: Directory; readonly outcome: KnownUser<Outcome> } | undefined;
  /** The first directory that serves the protocol and does not know the user. */
  readonly unknownTo: Directory | undefined;
  /** The first directory's reason for which it could not be asked. */
  readonly unavailable: AppError | undefined;
}

type AnyOutcome = { readonly kind: string };

type KnownUser<Outcome> = Exclude<Outcome, { readonly kind: "unknown_user" } | { readonly kind: "not_served" }>;

function knowsUser<Outcome extends AnyOutcome>(outcome: Outcome): outcome is KnownUser<Outcome> {
  return outcome.kind !== "unknown_user" && outcome.kind !== "not_served";
}

/**
 * A directory that cannot be asked does not end the search: the user may live in the next one. Whether its absence
 * matters is for the step to say.
 *
 * @throws AppError DIRECTORY_NOT_CONFIGURED when none of them serves the protocol; what is no `unavailable` at once.
 */
export function askDirectories<Outcome extends AnyOutcome>(
  directories: readonly Directory[],
  ask: (directory: Directory) => Awaitable<Outcome>,
): Awaitable<Asked<Outcome>> {
  let unknownTo: Directory | undefined;
  let unavailable: AppError | undefined;
  const notAsked = (thrown: unknown): undefined => {
    const error = fromUnknown(thrown);
    if (error.row.kind !== "unavailable") throw error;
    unavailable ??= error;
  };
  const askFrom = (nth: number): Awaitable<Asked<Outcome>> => {
    const directory = directories[nth];
    if (directory === undefined) {
      if (unknownTo === undefined && unavailable === undefined) throw new AppError("DIRECTORY_NOT_CONFIGURED");
      return { found: undefined, unknownTo, unavailable };
    }
    const asked = orElse(() => ask(directory), notAsked);
    return after(asked, (outcome): Awaitable<Asked<Outcome>> => {
      if (outcome !== undefined && knowsUser(outcome)) return { found: { directory, outcome }, unknownTo, unavailable };
      if (outcome?.kind === "unknown_user") unknownTo ??= directory;
      return askFrom(nth + 1);
    });
  };
  return askFrom(0);
}
