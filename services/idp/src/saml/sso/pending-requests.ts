import type { Comparison } from "../inbound/authn-request.ts";
import type { NameIdKind } from "../outbound/name-id.ts";

/** A sign-in request of a service provider, verified; what it asks for is decided. */
export interface PendingRequest {
  /** Of the service provider, as configured. */
  readonly entityId: string;
  readonly requestId: string;
  readonly acsUrl: string;
  readonly relayState?: string;
  readonly isPassive: boolean;
  readonly forceAuthn: boolean;
  /** Absent: a format was asked for that we do not have. */
  readonly nameIdKind?: NameIdKind;
  readonly requestedContext?: { readonly comparison: Comparison; readonly classes: readonly string[] };
  readonly loginHint?: string;
  /** Whether its user was sent to the sign-in pages. */
  readonly hasAsked: boolean;
  /** The session of the sign-in that was made for this request. */
  readonly signedInUid?: string;
}

/** All of them. Everything throws AppError `REDIS_UNAVAILABLE` when nobody could decide. */
export interface PendingRequests {
  /** Under a new id. */
  save(request: PendingRequest): Promise<string>;
  /** Its user has signed in. @returns false when it is over */
  noteSignIn(id: string, sessionUid: string): Promise<boolean>;
  find(id: string): Promise<PendingRequest | undefined>;
  /** Takes it away: of two who ask at once, one gets it. */
  take(id: string): Promise<PendingRequest | undefined>;
}

/** Messages that were taken before. */
export interface ReplayGuard {
  /** Notes the message. @returns false when it was noted before. @throws AppError when that cannot be known */
  isFirst(entityId: string, messageId: string): Promise<boolean>;
}
