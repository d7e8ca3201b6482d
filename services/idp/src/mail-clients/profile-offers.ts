/** What a profile is made of. */
export interface OfferedProfile {
  readonly address: string;
  /** Name of the user in outgoing mail. */
  readonly name: string;
  readonly password: string;
}

/**
 * Profiles that users have just created, for ten minutes, each behind a link with 256 random bits. Every method throws
 * AppError `REDIS_UNAVAILABLE` if Redis cannot answer.
 */
export interface ProfileOffers {
  /** @returns the token of the link */
  offer(profile: OfferedProfile): Promise<string>;
  /** Reads and deletes: of concurrent requests, on any replica, one gets the profile. */
  take(token: string): Promise<OfferedProfile | undefined>;
}
