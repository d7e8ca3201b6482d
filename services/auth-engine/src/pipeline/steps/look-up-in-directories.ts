import { type Awaitable, after } from "@postern/shared/async";
import type { AuthDecision } from "@postern/shared/contracts";
import type { Directory } from "../../directories/directory.ts";
import type { Attempt } from "../attempt.ts";
import type { Step, StepContext } from "../step.ts";
import { askDirectories } from "./ask-directories.ts";
import { directoryQuery, okDecision } from "./directory-query.ts";
import { noteAccount } from "./note-account.ts";

/**
 * The account as the first directory that knows it has it, without a password. One that is switched off is unknown.
 *
 * @throws AppError when a directory could not be asked and no other knows the user.
 */
export function lookUpAccount(
  attempt: Attempt,
  context: StepContext,
  directories: readonly Directory[],
): Awaitable<AuthDecision> {
  const query = directoryQuery(attempt);
  const asked = askDirectories(directories, (directory) => directory.lookup(query, context));
  return after(asked, ({ found, unavailable }): AuthDecision => {
    if (found?.outcome.kind === "ok") {
      noteAccount(found.directory, found.outcome.account.groups, attempt, context);
      return okDecision(found.directory, found.outcome.account);
    }
    if (unavailable !== undefined) throw unavailable;
    return { outcome: "fail", reason: "unknown_user", memoryCache: "miss" };
  });
}

/** `mode=no-auth`: the account, without a password. */
export const lookUpInDirectories: Step = {
  name: "look-up-in-directories",
  run: (attempt, context, { directories }) =>
    attempt.operation === "lookup" ? lookUpAccount(attempt, context, directories) : undefined,
};
