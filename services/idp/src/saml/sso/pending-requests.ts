import type { Comparison } from "../inbound/authn-request.ts";
import type { NameIdKind } from "../outbound/name-id.ts";

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

/** All pending requests. Every method throws AppError `REDIS_UNAVAILABLE` if Redis cannot answer. */
export interface PendingRequests {
  /** Stores a request under a new id. */
  save(request: PendingRequest): Promise<string>;
  /** Records that the user has signed in. @returns false if the request has expired */
  noteSignIn(id: string, sessionUid: string): Promise<boolean>;
  /** Records that the user has cancelled the sign-in. @returns false if the request has expired */
  noteCancel(id: string): Promise<boolean>;
  find(id: string): Promise<PendingRequest | undefined>;
  /** Reads and deletes a request: of concurrent calls, one gets it. */
  take(id: string): Promise<PendingRequest | undefined>;
}
