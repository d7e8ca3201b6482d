import { hash } from "node:crypto";
import type { KeyRing } from "../crypto/key-ring.ts";
import type { RedisClient } from "../redis/client.ts";
import { oidcAccountKey, oidcRecordKey } from "../redis/keys/oidc.ts";

/** What the identity provider keeps of a user's opaque access token that is alive. */
export interface OpaqueRecord {
  readonly clientId: string;
  /** `sub`. */
  readonly accountId: string;
  /** The mailbox name, as the directory told it at the last sign-in. */
  readonly account: string;
  readonly audience: string;
  readonly scopes: readonly string[];
  readonly expiresAtMs: number;
  /** Bound to a key that nobody proves here (RFC 9449 §7.1, RFC 8705 §3). */
  readonly isBound: boolean;
}

export interface OpaqueRecordDeps {
  readonly redis: Pick<RedisClient, "get">;
  readonly prefix: string;
  /** The identity provider's ring for its records. */
  readonly keys: KeyRing;
}

/** By SHA-256 of the token, base64url; `none` without a record of a user's living opaque token. Rejects without Redis. */
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
 * The record of the token, and of what it hangs on: it lives only while its grant and its account do, as in the
 * identity provider itself. A record that no key opens is undecidable, not absent: the secrets of two services differ.
 */
export function createOpaqueRecordReader({ redis, prefix, keys }: OpaqueRecordDeps): ReadOpaqueRecord {
  const read = async (key: string): Promise<Fields | undefined> => {
    const sealed = await redis.get(key);
    if (sealed === null) return undefined;
    const opened = keys.open(Buffer.from(sealed, "base64"), key);
    if (opened === undefined) throw new Error("no key opens a record of the identity provider");
    return fieldsOf(JSON.parse(opened.toString("utf8")));
  };
  return async (digest) => {
    const token = await read(oidcRecordKey.build(prefix, "AccessToken", digest));
    // The identifier of a signed token is no token.
    if (token === undefined || token["isJwt"] === true) return "none";
    const [clientId, accountId, grantId] = [token["clientId"], token["accountId"], token["grantId"]].map(textOf);
    if (!clientId || !accountId || !grantId || typeof token["exp"] !== "number") return "none";
    const [grant, account] = await Promise.all([
      read(oidcRecordKey.build(prefix, "Grant", opaqueDigest(grantId))),
      read(oidcAccountKey.build(prefix, opaqueDigest(accountId))),
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
      isBound: token["jkt"] !== undefined || token["x5t#S256"] !== undefined,
    };
  };
}
