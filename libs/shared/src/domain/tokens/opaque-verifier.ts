import type { VerifiedToken } from "./claims.ts";
import { type OpaqueRecord, opaqueDigest, type ReadOpaqueRecord } from "./opaque-record.ts";
import { createRecentReads, type RecentReadsOptions } from "./recent-reads.ts";
import { subjectDigest } from "./subject-digest.ts";
import type { TokenVerifier } from "./token-verifier.ts";
import { invalid, type TokenVerdict } from "./verdict.ts";
import { type AccessTokenRules, isMeantForUs, usernameOf } from "./verify-access-token.ts";

type Rules = Omit<AccessTokenRules, "keys" | "skewSeconds">;

export interface OpaqueVerifierOptions extends Omit<RecentReadsOptions<OpaqueRecord | "none">, "read"> {
  readonly rules: Rules;
  readonly read: ReadOpaqueRecord;
}

const opaqueToken = /^[A-Za-z0-9_-]{20,128}$/;

function verified(record: OpaqueRecord, { issuer, usernameClaims = [] }: Rules): VerifiedToken {
  const { accountId, clientId, account, scopes, expiresAtMs, signedInAt } = record;
  const claims = { sub: accountId, client_id: clientId, ...(account !== "" && { preferred_username: account }) };
  return {
    kind: "access",
    subject: accountId,
    username: usernameOf(claims, usernameClaims),
    clientId,
    scopes,
    expiresAtMs,
    signedInAt,
    revocation: { id: "", subjectDigest: subjectDigest(issuer, accountId), epoch: 0 },
  };
}

function judged(record: OpaqueRecord | "none" | undefined, rules: Rules): TokenVerdict {
  if (record === undefined) return { outcome: "unavailable", cause: "revocation" };
  if (record === "none") return invalid("revoked");
  if (record.expiresAtMs <= rules.clock.now()) return invalid("expired");
  if (record.isBound || !isMeantForUs(record, rules)) return { outcome: "wrong_token_type" };
  return { outcome: "ok", token: verified(record, rules) };
}

/**
 * Verifies users' opaque access tokens by the identity provider's records. A revoked token has no record. A result is reused for `ttlMs`,
 * the longest time that a revoked token is still accepted. Users' `epoch` needs no separate check: raising it destroys the grants that all
 * tokens depend on.
 */
export function createOpaqueVerifier({ rules, read, ...options }: OpaqueVerifierOptions): TokenVerifier {
  const reads = createRecentReads({ ...options, read });
  return {
    verify: (token) => {
      if (!opaqueToken.test(token)) return invalid("malformed");
      const record = reads.at(opaqueDigest(token));
      return record instanceof Promise ? record.then((found) => judged(found, rules)) : judged(record, rules);
    },
  };
}
