/**
 * Everything that raises the score of a sign-in. `guessed_account` and `spraying_source` are the only ones that an attacker
 * can cause without the password.
 */
export const riskSignals = [
  "new_source",
  "new_country",
  "impossible_travel",
  "many_countries",
  "many_systems",
  "many_submissions",
  "scattered_submissions",
  "guessed_account",
  "spraying_source",
  "leaked_password",
  "legacy_protocol",
] as const;
export type RiskSignal = (typeof riskSignals)[number];

/** In rising order. */
export const riskLevels = ["ordinary", "suspicious", "dangerous"] as const;
export type RiskLevel = (typeof riskLevels)[number];

/** One signal of an assessment, with the figures that made it. */
export interface RaisedSignal {
  readonly signal: RiskSignal;
  readonly weight: number;
  /** For operators; contains no user name and no address. */
  readonly reason: string;
}
