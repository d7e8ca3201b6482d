import type { AuthDecision } from "@postern/shared/contracts";
import type { CheckMailToken } from "../../mail-tokens/check-mail-token.ts";
import { tokenMechanism } from "../../mail-tokens/mechanism.ts";
import type { Attempt } from "../attempt.ts";
import type { Step, StepContext, StepDeps } from "../step.ts";
import { lookUpAccount } from "./look-up-in-directories.ts";

type Token = Pick<Parameters<CheckMailToken>[0], "mechanism" | "credential">;

async function verify(
  attempt: Attempt,
  token: Token,
  context: StepContext,
  { directories, checkMailToken }: StepDeps,
): Promise<AuthDecision> {
  if (checkMailToken === undefined) return { outcome: "fail", reason: "method_not_enabled", memoryCache: "miss" };
  const username = await checkMailToken({ ...token, username: attempt.username }, context);
  if (username === undefined) return { outcome: "fail", reason: "bad_token", memoryCache: "miss" };
  return lookUpAccount({ ...attempt, username }, context, directories);
}

/**
 * Logins by access token (`method` oauthbearer or xoauth2). This step decides them all: a token never reaches a
 * directory as a password. No directory is asked before the token is found good and the user's own, so a bad one says
 * nothing about who exists.
 */
export const verifyToken: Step = {
  name: "verify-token",
  run: (attempt, context, deps) => {
    const mechanism = tokenMechanism(attempt.method);
    const { operation, password } = attempt;
    if (operation !== "authenticate" || mechanism === undefined || password === undefined) return undefined;
    context.facts.credential = "token";
    return verify(attempt, { mechanism, credential: password.reveal() }, context, deps);
  },
};
