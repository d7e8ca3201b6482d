import type { Step } from "../step.ts";
import { askDirectories } from "./ask-directories.ts";
import { directoryQuery, okDecision } from "./directory-query.ts";

/** `mode=no-auth`: the account as the first directory that knows it has it, without a password. */
export const lookUpInDirectories: Step = {
  name: "look-up-in-directories",
  run: async (attempt, context, { directories }) => {
    if (attempt.operation !== "lookup") return undefined;
    const query = directoryQuery(attempt);
    const { found, unavailable } = await askDirectories(directories, (directory) => directory.lookup(query, context));
    if (found?.outcome.kind === "ok") return okDecision(found.directory, found.outcome.account);
    if (unavailable !== undefined) throw unavailable;
    return { outcome: "fail", reason: "unknown_user", memoryCache: "miss" };
  },
};
