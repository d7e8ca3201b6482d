import type { ConsoleRole } from "@postern/shared/contracts";

/** The session of one operator's browser. Times in milliseconds since the epoch. */
export interface OperatorSession {
  readonly account: string;
  /** The role at the sign-in. It counts only while no engine can determine the role. */
  readonly role: ConsoleRole;
  /** See `OperatorRight`; likewise. */
  readonly domain?: string | undefined;
  /** When the operator last signed in with the second factor. */
  readonly provedMs: number;
  readonly endMs: number;
  /** The last searches, the latest first. Absent before the first. */
  readonly searches?: readonly string[];
}

/** Sessions are shared by all replicas. @throws AppError REDIS_UNAVAILABLE */
export interface OperatorSessions {
  /** @returns the value of the cookie */
  create(session: OperatorSession): Promise<string>;
  /** Prolongs the session. Undefined if it has ended. */
  find(cookie: string): Promise<OperatorSession | undefined>;
  /** Does not prolong it. */
  peek(cookie: string): Promise<OperatorSession | undefined>;
  /** Adds a search to those of a session that exists. Of two that are added at once, one may be lost. */
  remember(cookie: string, search: string): Promise<void>;
  end(cookie: string): Promise<void>;
}

/** Number of searches that a session remembers. */
export const maxSearches = 10;

/** Lifetime of a session without a request, and in all. */
export const sessionIdleMs = 15 * 60_000;
export const sessionLifeMs = 8 * 3_600_000;
/** For how long a sign-in with the second factor permits actions that need one. */
export const proofMs = 5 * 60_000;

/** A sign-in that the identity provider has not answered yet. */
export interface SignInAttempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Where the operator wanted to go: a path of the console. */
  readonly next: string;
  /** The operator is to enter password and second factor again. */
  readonly isProof: boolean;
  /** Cookie of the session that the new one replaces; empty if there is none. */
  readonly replaces: string;
  /** Code as typed; absent without one, and from earlier versions. */
  readonly invitation?: string;
}

/** @throws AppError REDIS_UNAVAILABLE */
export interface SignInAttempts {
  /** @returns the value of the cookie that binds it to the browser */
  keep(attempt: SignInAttempt): Promise<string>;
  /** Once. */
  take(cookie: string): Promise<SignInAttempt | undefined>;
}
