import type { AuthDecision, DenialReason } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/errors";
import { secondFactorQuestion } from "../../mfa-artefacts/has-second-factor.ts";
import type { Step } from "../step.ts";
import { askDirectories } from "./ask-directories.ts";
import { directoryQuery, okDecision } from "./directory-query.ts";

function denial(reason: DenialReason): AuthDecision {
  return { outcome: "fail", reason, memoryCache: "miss" };
}

/**
 * The first directory that knows the user decides. A denial stands only when every directory before it could be asked:
 * the same user may live in one that is away, with the very password that was given.
 */
export const verifyInDirectories: Step = {
  name: "verify-in-directories",
  run: async (attempt, context, { directories }) => {
    const { password } = attempt;
    if (attempt.operation !== "authenticate" || password === undefined) return undefined;
    context.facts.credential = "password";
    const query = directoryQuery(attempt);
    const { found, unknownTo, unavailable } = await askDirectories(directories, (directory) =>
      directory.verify(query, password, context),
    );
    if (found?.outcome.kind === "ok") {
      context.facts.accountKnown = true;
      context.facts.directory = found.directory.name;
      context.facts.accountHasSecondFactor = secondFactorQuestion(found.directory, query, context);
      return okDecision(found.directory, found.outcome.account);
    }
    if (unavailable !== undefined) throw unavailable;
    context.facts.accountKnown = found !== undefined;
    if (found !== undefined) return denial(found.outcome.kind);
    if (unknownTo === undefined) throw new AppError("INTERNAL", { detail: "no directory answered" });
    await unknownTo.spendVerification(query, password, context);
    return denial("unknown_user");
  },
};
