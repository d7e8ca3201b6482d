import { type RiskConfig, riskResponses } from "../../platform/config/index.ts";

export type RiskMode = RiskConfig["mode"];
export type RiskResponse = (typeof riskResponses)[number];

const minutesOf = (ms: number): number => Math.ceil(ms / 60_000);

function responsesOf(names: readonly string[]): ReadonlySet<RiskResponse> {
  return new Set(riskResponses.filter((known) => names.includes(known)));
}

/** `auth.risk`, compiled. All times are minutes. */
export function riskSettings(config: RiskConfig) {
  const { weights, suspicious, dangerous, limits } = config;
  return {
    mode: config.mode,
    weights,
    /** Scores from which a level begins. */
    scores: { suspicious: suspicious.score, dangerous: dangerous.score },
    responses: { suspicious: responsesOf(suspicious.responses), dangerous: responsesOf(dangerous.responses) },
    delayMs: config.delay,
    holdMinutes: minutesOf(config.hold_for),
    retentionMinutes: minutesOf(config.retention),
    /** Time for which a new account is only learned. */
    learningMinutes: minutesOf(config.learn_for),
    /** Age from which a network without suspicious sign-ins is known. */
    knownAfterMinutes: minutesOf(config.known_after),
    travelKmPerHour: limits.travel_speed,
    countriesPerHour: limits.countries_per_hour,
    systemsPerHour: limits.systems_per_hour,
    submissionsPerHour: limits.submissions_per_hour,
    submissionNetworks: limits.submission_networks,
    guessingNetworks: limits.guessing_networks,
    sprayedAccounts: limits.sprayed_accounts,
    strangeAccounts: limits.strange_accounts,
    /** Protocols that ask for a password only. */
    legacyProtocols: new Set(config.legacy_protocols),
    submissionProtocols: new Set(config.submission_protocols),
  };
}

export type RiskSettings = Readonly<ReturnType<typeof riskSettings>>;
