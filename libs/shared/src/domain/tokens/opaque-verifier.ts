import { hash } from "node:crypto";
import type { KeyRing } from "../../platform/crypto/key-ring.ts";
import type { RedisClient } from "../../platform/redis/client.ts";
import { oidcAccountKey, oidcRecordKey } from "../../platform/redis/keys/oidc.ts";
import { tagged, tagOf } from "../region-calls/index.ts";
import { invalid, subjectDigest, type TokenVerdict, type VerifiedToken } from "./claims.ts";
import { createRecentReads, type RecentReadsOptions } from "./recent-reads.ts";
import type { TokenVerifier } from "./token-verifier.ts";
import { type AccessTokenRules, isMeantForUs, usernameOf } from "./verify-access-token.ts";

type ReadOpaqueRecord = ReturnType<typeof createOpaqueRecordReader>;
/** The identity provider's record of a user's live opaque access token; `none` if there is none. */
export type OpaqueRecord = Awaited<ReturnType<ReadOpaqueRecord>>;

export function opaqueDigest(token: string): string {
  return hash("sha256", token, "base64url");
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/**
 * Reads the records of the token, its grant and its account: the token is valid only while all of them exist, as in the identity provider.
 * A record that no key decrypts is a temporary failure and not an absent token: the secrets of two services differ.
 * @param keys the identity provider's key ring for its records.
 */
export function createOpaqueRecordReader(redis: Pick<RedisClient, "get">, keyPrefix: string, keys: KeyRing) {
  const read = async (key: string): Promise<Fields | undefined> => {
    const sealed = await redis.get(key);
    if (sealed === null) return undefined;
    const opened = keys.open(Buffer.from(sealed, "base64"), key);
    if (opened === undefined) throw new Error("no key decrypts a record of the identity provider");
    return fieldsOf(JSON.parse(opened.toString("utf8")));
  };
  /** Reads by SHA-256 of the token, base64url. Rejects without Redis. */
  return async (digest: string) => {
    const token = await read(oidcRecordKey.build(keyPrefix, "AccessToken", digest));
    // The identifier of a signed token is not a token.
    if (token === undefined || token["isJwt"] === true) return "none";
    const [clientId, accountId, grantId] = [token["clientId"], token["accountId"], token["grantId"]].map(textOf);
    if (!clientId || !accountId || !grantId || typeof token["exp"] !== "number") return "none";
    const [grant, account] = await Promise.all([
      read(oidcRecordKey.build(keyPrefix, "Grant", opaqueDigest(grantId))),
      read(oidcAccountKey.build(keyPrefix, opaqueDigest(accountId))),
    ]);
    if (grant === undefined || account === undefined) return "none";
    return {
      clientId,
      /** `sub`. */
      accountId,
      /** The mailbox name, as the backend returned it at the last sign-in. */
      account: textOf(account["account"]),
      audience: textOf(token["aud"]) || clientId,
      scopes: textOf(token["scope"])
        .split(" ")
        .filter((scope) => scope !== ""),
      expiresAtMs: token["exp"] * 1000,
      /** When the user signed in, or else when the grant or the token was made, in seconds since the epoch. */
      signedInAt: [token["authTime"], grant["iat"], token["iat"]].find((time) => typeof time === "number"),
      /** Bound to a key whose possession is not proved here (RFC 9449 §7.1, RFC 8705 §3). */
      isBound: token["jkt"] !== undefined || token["x5t#S256"] !== undefined,
    };
  };
}

type Rules = Omit<AccessTokenRules, "keys" | "skewSeconds">;

/** With the tag of its region, where there are several. */
export const opaqueToken = /^(?:[a-z0-9-]{1,20}~)?[A-Za-z0-9_-]{20,128}$/;

function verified(record: Exclude<OpaqueRecord, "none">, { issuer, usernameClaims = [] }: Rules): VerifiedToken {
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

function judged(record: OpaqueRecord | undefined, rules: Rules): TokenVerdict {
  if (record === undefined) return { outcome: "unavailable", cause: "revocation" };
  if (record === "none") return invalid("revoked");
  if (record.expiresAtMs <= rules.clock.now()) return invalid("expired");
  if (record.isBound || !isMeantForUs(record, rules)) return { outcome: "wrong_token_type" };
  return { outcome: "ok", token: verified(record, rules) };
}

/** What a record is read by: its digest, with the region that the token names. The token itself does not leave the process. */
function keyOf(token: string): string {
  const region = tagOf(token);
  return region === undefined ? opaqueDigest(token) : tagged(region, opaqueDigest(token));
}

/**
 * Verifies users' opaque access tokens by the identity provider's records. A revoked token has no record. A result is reused for `ttlMs`,
 * the longest time that a revoked token is still accepted. Users' `epoch` needs no separate check: raising it destroys the grants that all
 * tokens depend on.
 */
export function createOpaqueVerifier(rules: Rules, options: RecentReadsOptions<OpaqueRecord>): TokenVerifier {
  const reads = createRecentReads(options);
  return {
    verify: (token) => {
      if (!opaqueToken.test(token)) return invalid("malformed");
      const record = reads.at(keyOf(token));
      return record instanceof Promise ? record.then((found) => judged(found, rules)) : judged(record, rules);
    },
  };
}
