import { randomBytes } from "node:crypto";
import { samlRequestKey } from "@postern/shared/platform/redis";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { decided, digest, type SamlRedisDeps } from "../state/saml-redis.ts";
import { type Comparison, comparisons } from "../xml/authn-request.ts";
import type { NameIdKind } from "../xml/name-id.ts";

/** A verified sign-in request of a service provider, with the configuration applied. */
export interface PendingRequest {
  /** Entity ID of the service provider, as configured. */
  readonly entityId: string;
  readonly requestId: string;
  readonly acsUrl: string;
  readonly relayState?: string;
  readonly isPassive: boolean;
  readonly forceAuthn: boolean;
  /** Absent if the requested format is unsupported. */
  readonly nameIdKind?: NameIdKind;
  readonly requestedContext?: { readonly comparison: Comparison; readonly classes: readonly string[] };
  readonly loginHint?: string;
  /** Whether the user was sent to the sign-in pages. */
  readonly hasAsked: boolean;
  /** The session of the sign-in for this request. */
  readonly signedInUid?: string;
  /** Whether the user cancelled the sign-in. */
  readonly isCancelled?: boolean;
}

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

/** All pending requests. Every method throws AppError `REDIS_UNAVAILABLE` if Redis cannot answer. */
export function createPendingRequests({ redis, keyPrefix, keys }: SamlRedisDeps) {
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
    /** Stores a request under a new id. */
    save: (request: PendingRequest): Promise<string> =>
      decided(async () => {
        const id = randomBytes(32).toString("base64url");
        const key = keyOf(id);
        await redis.set(key, sealedOf(request, key), "EX", samlRequestKey.ttlSeconds);
        return id;
      }),
    /** Records that the user has signed in. @returns false if the request has expired */
    noteSignIn: (id: string, signedInUid: string): Promise<boolean> => note(id, { signedInUid, isCancelled: false }),
    /** Records that the user has cancelled the sign-in. @returns false if the request has expired */
    noteCancel: (id: string): Promise<boolean> => note(id, { isCancelled: true }),
    find,
    /** Reads and deletes a request: of concurrent calls, one gets it. */
    take: (id: string): Promise<PendingRequest | undefined> =>
      decided(async () => opened(await redis.getdel(keyOf(id)), keyOf(id))),
  };
}

export type PendingRequests = ReturnType<typeof createPendingRequests>;
