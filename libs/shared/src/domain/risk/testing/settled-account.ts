import { riskResponses } from "../../../platform/config/index.ts";
import { type AccountFacts } from "../account-facts.ts";
import { assess } from "../assess.ts";
import { type AssessedSignIn, newAccountFacts, noteSignIn } from "../note.ts";
import type { Place } from "../place.ts";
import type { RiskSettings } from "../risk-settings.ts";
import type { SourceFacts } from "../source-facts.ts";

export const dayMinutes = 1440;
export const weights = {
  new_source: 15,
  new_country: 30,
  new_client: 10,
  impossible_travel: 40,
  many_countries: 40,
  many_systems: 25,
  many_submissions: 50,
  scattered_submissions: 45,
  guessed_account: 20,
  spraying_source: 30,
  strange_accounts: 30,
  listed_network: 30,
  leaked_password: 25,
  legacy_protocol: 20,
};
export const settings: RiskSettings = {
  mode: "enforce",
  weights,
  scores: { suspicious: 50, dangerous: 80 },
  responses: { suspicious: new Set(["notify"]), dangerous: new Set(["notify", "hold_submission"]) },
  delayMs: 3000,
  holdMinutes: dayMinutes,
  retentionMinutes: 90 * dayMinutes,
  learningMinutes: 7 * dayMinutes,
  knownAfterMinutes: dayMinutes,
  travelKmPerHour: 1000,
  countriesPerHour: 3,
  systemsPerHour: 5,
  submissionsPerHour: 6,
  submissionNetworks: 4,
  guessingNetworks: 10,
  sprayedAccounts: 10,
  strangeAccounts: 10,
  legacyProtocols: new Set(["imap", "pop3", "smtp"]),
  submissionProtocols: new Set(["smtp"]),
};
export const strict: RiskSettings = {
  ...settings,
  responses: { suspicious: new Set(riskResponses), dangerous: new Set(riskResponses) },
};

export const berlin: Place = { country: "DE", system: 3320, location: { latitude: 53, longitude: 13 } };
export const lagos: Place = { country: "NG", system: 29465, location: { latitude: 6, longitude: 3 } };
export const start = 30_000_000;

export function signIn(overrides: Partial<AssessedSignIn>): AssessedSignIn {
  const usual = { minute: start, network: "home", place: berlin, protocol: "imap", client: "", device: "" };
  return { ...usual, credential: "password", ...overrides };
}

export function after(...signIns: readonly AssessedSignIn[]): AccountFacts {
  let facts: AccountFacts | undefined;
  for (const one of signIns) facts = noteSignIn(facts, one, { isDoubted: false, ages: settings });
  return facts ?? newAccountFacts(start);
}

/** At home for a month. */
export const settled = after(...Array.from({ length: 31 }, (_, day) => signIn({ minute: start + day * dayMinutes })));
export const now = start + 30 * dayMinutes + 60;

export const raised = (facts: AccountFacts | undefined, one: Partial<AssessedSignIn>, source?: SourceFacts) =>
  assess(facts, source, signIn({ minute: now, ...one }), settings).signals.map(({ signal }) => signal);
