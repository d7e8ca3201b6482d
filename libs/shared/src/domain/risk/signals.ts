/**
 * Everything that raises the score of a sign-in. An attacker without the password can cause only `guessed_account`,
 * `spraying_source` and, with the passwords of other accounts, `strange_accounts`.
 */
export const riskSignals = [
  "new_source",
  "new_country",
  "new_client",
  "impossible_travel",
  "many_countries",
  "many_systems",
  "many_submissions",
  "scattered_submissions",
  "guessed_account",
  "spraying_source",
  "strange_accounts",
  "listed_network",
  "leaked_password",
  "legacy_protocol",
] as const;
export type RiskSignal = (typeof riskSignals)[number];

/** Signals that an attacker without the password can cause. They never refuse a sign-in, neither alone nor together with others. */
export const causedFromOutside: ReadonlySet<RiskSignal> = new Set([
  "guessed_account",
  "spraying_source",
  "strange_accounts",
]);

/** The levels rise in this order. */
export const riskLevels = ["ordinary", "suspicious", "dangerous"] as const;
export type RiskLevel = (typeof riskLevels)[number];

/** One signal of an assessment, with the figures that made it. */
export interface RaisedSignal {
  readonly signal: RiskSignal;
  readonly weight: number;
  /** For operators; contains no user name and no address. */
  readonly reason: string;
}
