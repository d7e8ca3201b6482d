import { tokenMechanism } from "../../mail-tokens/mechanism.ts";
import type { Step } from "../step.ts";
import { lookUpAccount } from "./look-up-in-directories.ts";

/**
 * Logins by access token (`method` oauthbearer or xoauth2). This step decides them all: a token never reaches a
 * directory as a password. No directory is asked before the token is found good and the user's own, so a bad one says
 * nothing about who exists.
 */
export const verifyToken: Step = {
  name: "verify-token",
  run: async (attempt, context, { directories, checkMailToken }) => {
    const mechanism = tokenMechanism(attempt.method);
    const { operation, username, password } = attempt;
    if (operation !== "authenticate" || mechanism === undefined || password === undefined) return undefined;
    context.facts.credential = "token";
    if (checkMailToken === undefined) return { outcome: "fail", reason: "method_not_enabled", memoryCache: "miss" };
    const name = await checkMailToken({ mechanism, username, credential: password.reveal() }, context.signal);
    if (name === undefined) return { outcome: "fail", reason: "bad_token", memoryCache: "miss" };
    return lookUpAccount({ ...attempt, username: name }, context, directories);
  },
};
