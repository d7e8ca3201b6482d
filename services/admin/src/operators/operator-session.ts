/** Number of searches that a session remembers. */
export const maxSearches = 10;

/** Lifetime of a session without a request, and in all. */
export const sessionIdleMs = 15 * 60_000;
export const sessionLifeMs = 8 * 3_600_000;

/** For how long a sign-in with the second factor permits actions that need one. */
export const proofMs = 5 * 60_000;
