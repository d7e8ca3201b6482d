import { hash } from "node:crypto";
import type { KeyRing } from "../../platform/crypto/key-ring.ts";
import type { RedisClient } from "../../platform/redis/client.ts";
import { oidcAccountKey, oidcRecordKey } from "../../platform/redis/keys/oidc.ts";

/** The identity provider's record of a user's live opaque access token. */
export interface OpaqueRecord {
  readonly clientId: string;
  /** `sub`. */
  readonly accountId: string;
  /** The mailbox name, as the backend returned it at the last sign-in. */
  readonly account: string;
  readonly audience: string;
  readonly scopes: readonly string[];
  readonly expiresAtMs: number;
  /** When the user signed in, or else when the grant or the token was made, in seconds since the epoch. */
  readonly signedInAt: number | undefined;
  /** Bound to a key whose possession is not proved here (RFC 9449 §7.1, RFC 8705 §3). */
  readonly isBound: boolean;
}

/**
 * Reads by SHA-256 of the token, base64url; `none` if there is no record of a user's live opaque token. Rejects without Redis.
 */
export type ReadOpaqueRecord = (digest: string) => Promise<OpaqueRecord | "none">;

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
export function createOpaqueRecordReader(
  redis: Pick<RedisClient, "get">,
  keyPrefix: string,
  keys: KeyRing,
): ReadOpaqueRecord {
  const read = async (key: string): Promise<Fields | undefined> => {
    const sealed = await redis.get(key);
    if (sealed === null) return undefined;
    const opened = keys.open(Buffer.from(sealed, "base64"), key);
    if (opened === undefined) throw new Error("no key decrypts a record of the identity provider");
    return fieldsOf(JSON.parse(opened.toString("utf8")));
  };
  return async (digest) => {
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
      accountId,
      account: textOf(account["account"]),
      audience: textOf(token["aud"]) || clientId,
      scopes: textOf(token["scope"])
        .split(" ")
        .filter((scope) => scope !== ""),
      expiresAtMs: token["exp"] * 1000,
      signedInAt: [token["authTime"], grant["iat"], token["iat"]].find((time) => typeof time === "number"),
      isBound: token["jkt"] !== undefined || token["x5t#S256"] !== undefined,
    };
  };
}
