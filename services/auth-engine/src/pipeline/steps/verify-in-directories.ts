import { type Awaitable, after } from "@postern/shared/async";
import type { AuthDecision, DenialReason } from "@postern/shared/contracts";
import type { Secret } from "@postern/shared/crypto";
import { AppError } from "@postern/shared/errors";
import type { Directory } from "../../directories/directory.ts";
import type { Attempt } from "../attempt.ts";
import type { Step, StepContext } from "../step.ts";
import { askDirectories } from "./ask-directories.ts";
import { directoryQuery, okDecision } from "./directory-query.ts";
import { noteAccount } from "./note-account.ts";

function denial(reason: DenialReason, detail?: string): AuthDecision {
  return { outcome: "fail", reason, ...(detail === undefined ? {} : { detail }), memoryCache: "miss" };
}

interface Means {
  readonly context: StepContext;
  readonly directories: readonly Directory[];
}

/**
 * The first directory that knows the user decides. A denial stands only when every directory before it could be asked:
 * the same user may live in one that is away, with the very password that was given.
 *
 * @throws AppError when nobody could decide.
 */
export function verifyPassword(
  attempt: Attempt,
  password: Secret,
  { context, directories }: Means,
): Awaitable<AuthDecision> {
  const query = directoryQuery(attempt);
  const asked = askDirectories(directories, (directory) => directory.verify(query, password, context));
  return after(asked, ({ found, unknownTo, unavailable }): Awaitable<AuthDecision> => {
    if (found?.outcome.kind === "ok") {
      noteAccount(found.directory, found.outcome.account.groups, attempt, context);
      return okDecision(found.directory, found.outcome.account);
    }
    if (unavailable !== undefined) throw unavailable;
    context.facts.accountKnown = found !== undefined;
    if (found !== undefined) {
      context.facts.guessedAccount = "account" in found.outcome ? found.outcome.account : undefined;
      return denial(found.outcome.kind, "detail" in found.outcome ? found.outcome.detail : undefined);
    }
    if (unknownTo === undefined) throw new AppError("INTERNAL", { detail: "no directory answered" });
    return after(unknownTo.spendVerification(query, password, context), () => denial("unknown_user"));
  });
}

/** A login by password, as the directories decide it. */
export const verifyInDirectories: Step = {
  name: "verify-in-directories",
  run: (attempt, context, { directories }) => {
    const { operation, password } = attempt;
    if (operation !== "authenticate" || password === undefined) return undefined;
    context.facts.credential = "password";
    return verifyPassword(attempt, password, { context, directories });
  },
};
