import type { TokenVerdict, TokenVerifier, VerifiedToken } from "@postern/shared/domain/tokens";
import type { CallerAuthOutcome } from "./outcome.ts";

/** A caller that authenticated with a token; which routes the token grants is decided by the route. */
export interface BearerCaller {
  readonly outcome: "ok_bearer";
  readonly token: VerifiedToken;
}

/** A client whose token has a different subject acts for that subject: both are named. */
export function bearerName({ clientId, subject }: VerifiedToken): string {
  return clientId === "" || clientId === subject ? subject : `${clientId}:${subject}`;
}

export type BearerFinding = BearerCaller | Extract<CallerAuthOutcome, "bad_token" | "wrong_token_type" | "unavailable">;

/**
 * Verifies an `Authorization` value of the Bearer scheme (RFC 6750 §2.1); synchronous for a recently verified token.
 */
export type BearerCheck = (authorization: string) => BearerFinding | Promise<BearerFinding>;

const scheme = /^bearer +([A-Za-z0-9._~+/-]+=*) *$/i;

function findingOf(verdict: TokenVerdict): BearerFinding {
  switch (verdict.outcome) {
    case "ok":
      return { outcome: "ok_bearer", token: verdict.token };
    case "invalid":
      return "bad_token";
    case "wrong_token_type":
    case "unavailable":
      return verdict.outcome;
  }
}

export function createBearerCheck(verifier: TokenVerifier): BearerCheck {
  return (authorization) => {
    const token = scheme.exec(authorization)?.[1];
    if (token === undefined) return "bad_token";
    const verdict = verifier.verify(token);
    return verdict instanceof Promise ? verdict.then(findingOf) : findingOf(verdict);
  };
}
