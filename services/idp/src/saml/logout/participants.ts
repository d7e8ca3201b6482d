import type { NameId } from "../outbound/name-id.ts";

/** A service provider to which a browser session has signed in. */
export interface Participant {
  readonly entityId: string;
  readonly nameId: NameId;
  readonly sessionIndex: string;
}

/** Who must be told of a logout. Everything throws AppError `REDIS_UNAVAILABLE` when nobody could decide. */
export interface Participants {
  /** What the session has with this service provider. */
  find(sessionUid: string, entityId: string): Promise<Participant | undefined>;
  all(sessionUid: string): Promise<readonly Participant[]>;
  add(sessionUid: string, participant: Participant, expiresAtMs: number): Promise<void>;
  /** The session for which this service provider was given the index. */
  sessionOf(entityId: string, sessionIndex: string): Promise<string | undefined>;
  /** The session has ended: takes them away. */
  takeAll(sessionUid: string): Promise<readonly Participant[]>;
}
