import type { CallerDomains } from "@postern/shared/domain/domains";
import type { TokenVerdict, TokenVerifier, VerifiedToken } from "@postern/shared/domain/tokens";
import type { CallerAuthOutcome } from "./outcome.ts";

/** A client whose token has a different subject acts for that subject: both are named. */
export function bearerName({ clientId, subject }: VerifiedToken): string {
  return clientId === "" || clientId === subject ? subject : `${clientId}:${subject}`;
}

/** A caller that authenticated with a token, or why it did not; which routes the token grants is decided by the route. */
export type BearerFinding =
  | {
      readonly outcome: "ok_bearer";
      readonly token: VerifiedToken;
      /** What its owner may reach. Absent: all domains. */
      readonly domains?: CallerDomains | undefined;
    }
  | Extract<CallerAuthOutcome, "bad_token" | "wrong_token_type" | "bound_token" | "unavailable">;

const credentials = /^(bearer|dpop) +([A-Za-z0-9._~+/-]+=*) *$/i;

function findingOf(verdict: TokenVerdict): BearerFinding {
  switch (verdict.outcome) {
    case "ok":
      return { outcome: "ok_bearer", token: verdict.token };
    case "invalid":
      return "bad_token";
    case "wrong_token_type":
      return verdict.isBound === true ? "bound_token" : "wrong_token_type";
    case "unavailable":
      return "unavailable";
  }
}

function findingWithProof(verdict: TokenVerdict): BearerFinding {
  const finding = findingOf(verdict);
  return finding === "bad_token" || finding === "unavailable" ? finding : "bound_token";
}

/**
 * Verifies an `Authorization` value of the Bearer scheme (RFC 6750 §2.1) or the DPoP scheme (RFC 9449 §7.1); synchronous for a recently
 * verified token. Proofs of possession are not accepted, so a token that needs one, or is sent with one, is refused as `bound_token`.
 */
export function createBearerCheck(verifier: TokenVerifier) {
  return (authorization: string): BearerFinding | Promise<BearerFinding> => {
    const [, scheme, token] = credentials.exec(authorization) ?? [];
    if (scheme === undefined || token === undefined) return "bad_token";
    const judge = scheme.toLowerCase() === "dpop" ? findingWithProof : findingOf;
    const verdict = verifier.verify(token);
    return verdict instanceof Promise ? verdict.then(judge) : judge(verdict);
  };
}

export type BearerCheck = ReturnType<typeof createBearerCheck>;
