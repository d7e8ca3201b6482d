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
export async function askDirectories<Outcome extends AnyOutcome>(
  directories: readonly Directory[],
  ask: (directory: Directory) => Promise<Outcome>,
): Promise<Asked<Outcome>> {
  let unknownTo: Directory | undefined;
  let unavailable: AppError | undefined;
  for (const directory of directories) {
    try {
      const outcome = await ask(directory);
      if (knowsUser(outcome)) return { found: { directory, outcome }, unknownTo, unavailable };
      if (outcome.kind === "unknown_user") unknownTo ??= directory;
    } catch (thrown) {
      const error = fromUnknown(thrown);
      if (error.row.kind !== "unavailable") throw error;
      unavailable ??= error;
    }
  }
  if (unknownTo === undefined && unavailable === undefined) throw new AppError("DIRECTORY_NOT_CONFIGURED");
  return { found: undefined, unknownTo, unavailable };
}
