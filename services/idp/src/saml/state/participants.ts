import type { NameId } from "../outbound/name-id.ts";

/** A service provider that a browser session has signed in to. */
export interface Participant {
  readonly entityId: string;
  readonly nameId: NameId;
  readonly sessionIndex: string;
}

/**
 * The service providers to notify of a logout. Every method throws AppError `REDIS_UNAVAILABLE` if Redis cannot answer.
 */
export interface Participants {
  /** The session's participant for this service provider. */
  find(sessionUid: string, entityId: string): Promise<Participant | undefined>;
  all(sessionUid: string): Promise<readonly Participant[]>;
  add(sessionUid: string, participant: Participant, expiresAtMs: number): Promise<void>;
  /** The session to which the index belongs at this service provider. */
  sessionOf(entityId: string, sessionIndex: string): Promise<string | undefined>;
  /** Reads and deletes the participants of a session that has ended. */
  takeAll(sessionUid: string): Promise<readonly Participant[]>;
}
