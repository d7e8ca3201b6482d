import { digestOf, type KeyRing } from "@postern/shared/platform/crypto";
import { decidedInRedis, type RedisClient } from "@postern/shared/platform/redis";
import type { Static, TSchema } from "typebox";
import { Value } from "typebox/value";

/** What every SAML store in Redis needs. */
export interface SamlRedisDeps {
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly keys: KeyRing;
}

export const digest = (value: string): string => digestOf(value).toString("base64url");

export const decided = decidedInRedis("SAML state cannot be reached");

/** Seals a value for the key in Redis under which it is stored. */
export function sealed(keys: KeyRing, value: unknown, key: string): string {
  return keys.seal(JSON.stringify(value), key).toString("base64");
}

/** The sealed value; undefined if there is none, no key opens it, or it has another form. */
export function opened<Schema extends TSchema>(
  keys: KeyRing,
  schema: Schema,
  { stored, key }: { readonly stored: string | null | undefined; readonly key: string },
): Static<Schema> | undefined {
  const plain = typeof stored === "string" ? keys.open(Buffer.from(stored, "base64"), key) : undefined;
  const value: unknown = plain === undefined ? undefined : JSON.parse(plain.toString("utf8"));
  return Value.Check(schema, value) ? value : undefined;
}
