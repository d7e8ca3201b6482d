import { samlRequestKey } from "@postern/shared/platform/redis";
import { Type } from "typebox";
import type { Stored } from "../../redis/stored.ts";
import { createWaitingRecords, type SamlRedisDeps } from "../state/saml-redis.ts";
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
  isCancelled: Type.Optional(Type.Boolean()),
});

/** A verified sign-in request of a service provider, with the configuration applied. */
export type PendingRequest = Stored<typeof Pending>;

/** All pending requests. Every method throws AppError `REDIS_UNAVAILABLE` if Redis cannot answer. */
export function createPendingRequests(deps: SamlRedisDeps) {
  const { replace, ...records } = createWaitingRecords(deps, samlRequestKey, Pending);
  const note = async (id: string, change: Pick<PendingRequest, "signedInUid" | "isCancelled">): Promise<boolean> => {
    const request = await records.find(id);
    return request !== undefined && replace(id, { ...request, ...change });
  };
  return {
    ...records,
    /** Records that the user has signed in. @returns false if the request has expired */
    noteSignIn: (id: string, signedInUid: string): Promise<boolean> => note(id, { signedInUid, isCancelled: false }),
    /** Records that the user has cancelled the sign-in. @returns false if the request has expired */
    noteCancel: (id: string): Promise<boolean> => note(id, { isCancelled: true }),
  };
}

export type PendingRequests = ReturnType<typeof createPendingRequests>;
