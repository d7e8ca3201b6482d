/** A digest and the Redis key with the facts about it. */
export interface RiskSubject {
  readonly id: string;
  readonly key: string;
}

/** What the check for bans reads for the score of a sign-in, in the same round trip. */
export interface RiskKeys {
  readonly account: RiskSubject;
  readonly source: RiskSubject;
}

/** What was read; a value is empty if there is none. */
export interface RiskRead {
  readonly keys: RiskKeys;
  readonly account: string;
  readonly source: string;
}
