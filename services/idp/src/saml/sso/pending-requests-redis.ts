import { randomBytes } from "node:crypto";
import { samlRequestKey } from "@postern/shared/platform/redis";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { comparisons } from "../inbound/authn-request.ts";
import { decided, digest, type SamlRedisDeps } from "../state/saml-redis.ts";
import type { PendingRequest, PendingRequests } from "./pending-requests.ts";

const text = Type.String();

const Pending = Type.Object({
  entityId: text,
  requestId: text,
  acsUrl: text,
  relayState: Type.Optional(text),
  isPassive: Type.Boolean(),
  forceAuthn: Type.Boolean(),
  nameIdKind: Type.Optional(Type.Enum(["persistent", "transient", "email", "unspecified"])),
  requestedContext: Type.Optional(Type.Object({ comparison: Type.Enum([...comparisons]), classes: Type.Array(text) })),
  loginHint: Type.Optional(text),
  hasAsked: Type.Boolean(),
  signedInUid: Type.Optional(text),
  isCancelled: Type.Optional(Type.Boolean()),
});

export function createPendingRequests({ redis, keyPrefix, keys }: SamlRedisDeps): PendingRequests {
  const keyOf = (id: string): string => samlRequestKey.build(keyPrefix, digest(id));
  const opened = (stored: string | null, key: string): PendingRequest | undefined => {
    const plain = stored === null ? undefined : keys.open(Buffer.from(stored, "base64"), key);
    const value: unknown = plain === undefined ? undefined : JSON.parse(plain.toString("utf8"));
    return Value.Check(Pending, value) ? value : undefined;
  };
  const sealedOf = (request: PendingRequest, key: string): string =>
    keys.seal(JSON.stringify(request), key).toString("base64");
  const find = (id: string): Promise<PendingRequest | undefined> =>
    decided(async () => opened(await redis.get(keyOf(id)), keyOf(id)));
  const note = (id: string, change: Pick<PendingRequest, "signedInUid" | "isCancelled">): Promise<boolean> =>
    decided(async () => {
      const request = await find(id);
      if (request === undefined) return false;
      const sealed = sealedOf({ ...request, ...change }, keyOf(id));
      return (await redis.set(keyOf(id), sealed, "EX", samlRequestKey.ttlSeconds, "XX")) === "OK";
    });
  return {
    save: (request) =>
      decided(async () => {
        const id = randomBytes(32).toString("base64url");
        const key = keyOf(id);
        await redis.set(key, sealedOf(request, key), "EX", samlRequestKey.ttlSeconds);
        return id;
      }),
    noteSignIn: (id, signedInUid) => note(id, { signedInUid, isCancelled: false }),
    noteCancel: (id) => note(id, { isCancelled: true }),
    find,
    take: (id) => decided(async () => opened(await redis.getdel(keyOf(id)), keyOf(id))),
  };
}
