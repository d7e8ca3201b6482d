import type { AuthDecision } from "@postern/shared/contracts";
import { lookUpAccount } from "../backends/ask-backends.ts";
import type { BackendsByName } from "../backends/backends-by-name.ts";
import { blockedBy, type CountedFacts } from "../brute-force/brute-force.ts";
import { type Attempt, tokenMechanism } from "../pipeline/attempt.ts";
import { denial, type Step, type StepContext } from "../pipeline/step.ts";
import type { CheckMailToken } from "./check-mail-token.ts";

export interface TokenDeps {
  readonly backends: BackendsByName;
  /** Absent while `auth.oauthbearer` is off. */
  readonly checkMailToken: CheckMailToken | undefined;
}

type Token = Pick<Parameters<CheckMailToken>[0], "mechanism" | "credential">;

async function decide(
  attempt: Attempt,
  token: Token,
  context: StepContext<CountedFacts>,
  { backends, checkMailToken }: TokenDeps,
): Promise<AuthDecision> {
  if (checkMailToken === undefined) return denial("method_not_enabled");
  const { username, protocol, domain } = attempt;
  const spelled = (name: string) => backends.spelled(name);
  const serving = (name: string) => backends.serving(name);
  const accepted = await checkMailToken({ ...token, username, protocol, domain, spelled, serving }, context);
  if (accepted === "useless") context.facts.isNoGuess = true;
  if (accepted === undefined || accepted === "useless") return denial("bad_token");
  context.facts.credentialSince = accepted.signedInAt;
  return lookUpAccount({ ...attempt, username: accepted.username }, context, backends);
}

/** From a banned network, only a valid token is accepted. */
async function verify(
  attempt: Attempt,
  token: Token,
  context: StepContext<CountedFacts>,
  deps: TokenDeps,
): Promise<AuthDecision> {
  const decision = await decide(attempt, token, context, deps);
  const { bruteForce } = context.facts;
  const ban = decision.outcome === "ok" || bruteForce === undefined ? undefined : blockedBy(bruteForce);
  return ban ?? decision;
}

/**
 * Decides every sign-in by access token (`method` oauthbearer or xoauth2); a token never reaches a backend as a
 * password. No backend is queried until the token is verified and belongs to the user, so a bad token does not reveal
 * who exists.
 */
export const verifyToken: Step<CountedFacts, TokenDeps> = {
  name: "verify-token",
  run: (attempt, context, deps) => {
    const mechanism = tokenMechanism(attempt.method);
    const { operation, password } = attempt;
    if (operation !== "authenticate" || mechanism === undefined || password === undefined) return undefined;
    context.facts.credential = "token";
    return verify(attempt, { mechanism, credential: password.reveal() }, context, deps);
  },
};
