import { randomBytes } from "node:crypto";
import { samlRequestKey } from "@postern/shared/platform/redis";
import { Type } from "typebox";
import type { Stored } from "../../redis/stored.ts";
import { decided, digest, opened, type SamlRedisDeps, sealed } from "../state/saml-redis.ts";
import { comparisons } from "../xml/authn-request.ts";

const text = Type.String();

const Pending = Type.Object({
  /** Entity ID of the service provider, as configured. */
  entityId: text,
  requestId: text,
  acsUrl: text,
  relayState: Type.Optional(text),
  isPassive: Type.Boolean(),
  forceAuthn: Type.Boolean(),
  /** Absent if the requested format is unsupported. */
  nameIdKind: Type.Optional(Type.Enum(["persistent", "transient", "email", "unspecified"])),
  requestedContext: Type.Optional(Type.Object({ comparison: Type.Enum([...comparisons]), classes: Type.Array(text) })),
  loginHint: Type.Optional(text),
  /** Whether the user was sent to the sign-in pages. */
  hasAsked: Type.Boolean(),
  /** The session of the sign-in for this request. */
  signedInUid: Type.Optional(text),
  /** Whether the user cancelled the sign-in. */
  isCancelled: Type.Optional(Type.Boolean()),
});

/** A verified sign-in request of a service provider, with the configuration applied. */
export type PendingRequest = Stored<typeof Pending>;

/** All pending requests. Every method throws AppError `REDIS_UNAVAILABLE` if Redis cannot answer. */
export function createPendingRequests({ redis, keyPrefix, keys }: SamlRedisDeps) {
  const keyOf = (id: string): string => samlRequestKey.build(keyPrefix, digest(id));
  const open = (stored: string | null, key: string) => opened(keys, Pending, { stored, key });
  const find = (id: string): Promise<PendingRequest | undefined> =>
    decided(async () => open(await redis.get(keyOf(id)), keyOf(id)));
  const note = (id: string, change: Pick<PendingRequest, "signedInUid" | "isCancelled">): Promise<boolean> =>
    decided(async () => {
      const request = await find(id);
      if (request === undefined) return false;
      const value = sealed(keys, { ...request, ...change }, keyOf(id));
      return (await redis.set(keyOf(id), value, "EX", samlRequestKey.ttlSeconds, "XX")) === "OK";
    });
  return {
    /** Stores a request under a new id. */
    save: (request: PendingRequest): Promise<string> =>
      decided(async () => {
        const id = randomBytes(32).toString("base64url");
        const key = keyOf(id);
        await redis.set(key, sealed(keys, request, key), "EX", samlRequestKey.ttlSeconds);
        return id;
      }),
    /** Records that the user has signed in. @returns false if the request has expired */
    noteSignIn: (id: string, signedInUid: string): Promise<boolean> => note(id, { signedInUid, isCancelled: false }),
    /** Records that the user has cancelled the sign-in. @returns false if the request has expired */
    noteCancel: (id: string): Promise<boolean> => note(id, { isCancelled: true }),
    find,
    /** Reads and deletes a request: of concurrent calls, one gets it. */
    take: (id: string): Promise<PendingRequest | undefined> =>
      decided(async () => open(await redis.getdel(keyOf(id)), keyOf(id))),
  };
}

export type PendingRequests = ReturnType<typeof createPendingRequests>;
