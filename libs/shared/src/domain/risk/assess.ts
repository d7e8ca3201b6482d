import type { AccountFacts, SeenNetwork } from "./account-facts.ts";
import { isKnownNetwork, type SignIn, withoutOldFacts } from "./note.ts";
import { distanceKm } from "./place.ts";
import type { RiskResponse, RiskSettings } from "./risk-settings.ts";
import { submissionsWith } from "./sending.ts";
import type { RaisedSignal, RiskLevel, RiskSignal } from "./signals.ts";
import { countOfSketch } from "./sketch.ts";
import { accountsOfSource, hourOf, minutesPerHour, type SourceFacts } from "./source-facts.ts";

/** A sign-in with everything that a score may depend on. */
export interface AssessedSignIn extends SignIn {
  readonly credential: "password" | "app_password";
  /** Whether the password is in the list of leaked ones. Absent if it was not compared. */
  readonly isLeaked?: boolean | undefined;
  /** Absent if the backend was not asked. */
  readonly hasSecondFactor?: boolean | undefined;
  /** A second factor follows, which confirms or ends the sign-in: nothing else refuses it. */
  readonly isFactorNext?: boolean | undefined;
}

export interface Assessment {
  readonly score: number;
  readonly level: RiskLevel;
  /** What made the score, in the order of `riskSignals`. */
  readonly signals: readonly RaisedSignal[];
  /** The network or the device is known to the account: nothing refuses the sign-in. */
  readonly isKnown: boolean;
}

interface Case {
  readonly facts: AccountFacts;
  readonly source: SourceFacts | undefined;
  readonly signIn: AssessedSignIn;
  readonly settings: RiskSettings;
  readonly isKnown: boolean;
  /** The account is old enough for something new to mean anything. */
  readonly isLearned: boolean;
}

/** Why a signal is raised, or undefined. */
type Detector = (one: Case) => string | undefined;

/** Whole degrees are that imprecise, and so are the places of mobile networks. */
const placeErrorKm = 200;
const shortestTravelKm = 500;

/** Neither the network nor its system was used for the account. */
function isNewSource(facts: AccountFacts, { network, place: { system } }: SignIn): boolean {
  if (facts.networks.some(({ id, isDoubted }) => id === network && !isDoubted)) return false;
  return system === 0 || !facts.systems.some(({ name }) => name === String(system));
}

const newSource: Detector = ({ facts, signIn, isKnown, isLearned }) => {
  if (isKnown || !isLearned || !isNewSource(facts, signIn)) return undefined;
  const { system } = signIn.place;
  return system === 0 ? "the network is new" : `the network and its system AS${system} are new`;
};

const newCountry: Detector = ({ facts, signIn, isKnown, isLearned }) => {
  const { country } = signIn.place;
  if (isKnown || !isLearned || country === "" || facts.countries.length === 0) return undefined;
  return facts.countries.some(({ name }) => name === country.toLowerCase()) ? undefined : `${country} is new`;
};

/** Mobile networks and VPNs that the account uses have gateways far away. */
const impossibleTravel: Detector = ({ facts, signIn, settings, isKnown }) => {
  const { last } = facts;
  const { location } = signIn.place;
  if (isKnown || last === undefined || location === undefined || !isNewSource(facts, signIn)) return undefined;
  const km = distanceKm(last, location) - placeErrorKm;
  const minutes = Math.max(1, signIn.minute - last.minute);
  if (km < shortestTravelKm || (km / minutes) * minutesPerHour <= settings.travelKmPerHour) return undefined;
  return `${Math.round(km)} km in ${minutes} min`;
};

/** Different places in the last hour, with that of this sign-in. */
function recentPlaces<Name>(
  { facts, signIn }: Case,
  nameOf: (network: Pick<SeenNetwork, "country" | "system">) => Name,
) {
  const recent = facts.networks.filter(({ lastMinute }) => signIn.minute - lastMinute < minutesPerHour);
  return new Set([signIn.place, ...recent].map(nameOf));
}

/** Each network has one place, so that few networks need not be looked at. */
const mayReach = ({ facts }: Case, places: number): boolean => facts.networks.length + 1 >= places;

/** From a known network only the others of the hour would be new; those have their own assessment. */
const manyCountries: Detector = (one) => {
  if (one.isKnown || !mayReach(one, one.settings.countriesPerHour)) return undefined;
  const countries = recentPlaces(one, ({ country }) => country.toLowerCase());
  countries.delete("");
  return countries.size < one.settings.countriesPerHour ? undefined : `${countries.size} countries in an hour`;
};

const manySystems: Detector = (one) => {
  if (one.isKnown || !mayReach(one, one.settings.systemsPerHour)) return undefined;
  const systems = recentPlaces(one, ({ system }) => system);
  systems.delete(0);
  return systems.size < one.settings.systemsPerHour ? undefined : `${systems.size} systems in an hour`;
};

const isSubmission = ({ signIn, settings }: Case): boolean => settings.submissionProtocols.has(signIn.protocol);

/** Small enough that ordinary phones hide no attack, large enough that a habit can grow. */
const habitFactor = 1.2;

/** Compared with the habit of the account, so that who sends much from everywhere is left alone. */
const manySubmissions: Detector = (one) => {
  if (one.isKnown || !one.isLearned || !isSubmission(one)) return undefined;
  const { count, most } = submissionsWith(one.facts.sending, one.signIn);
  if (count < one.settings.submissionsPerHour || count <= habitFactor * most) return undefined;
  return `${count} submissions from unknown networks in an hour`;
};

const scatteredSubmissions: Detector = (one) => {
  if (one.isKnown || !one.isLearned || !isSubmission(one)) return undefined;
  const { networks } = submissionsWith(one.facts.sending, one.signIn);
  return networks < one.settings.submissionNetworks ? undefined : `submissions from about ${networks} unknown networks`;
};

/** Approximate number of networks that sent wrong passwords for the account in one of the last two hours. */
export function guessingNetworks({ guessing }: Pick<AccountFacts, "guessing">, minute: number): number {
  const hour = hourOf(minute);
  if (guessing === undefined || guessing.hour < hour - 1) return 0;
  const current = countOfSketch(guessing.current);
  return guessing.hour === hour ? Math.max(current, countOfSketch(guessing.previous)) : current;
}

const guessedAccount: Detector = ({ facts, signIn, settings, isKnown }) => {
  const networks = isKnown ? 0 : guessingNetworks(facts, signIn.minute);
  return networks < settings.guessingNetworks ? undefined : `wrong passwords from about ${networks} networks`;
};

const sprayingSource: Detector = ({ source, signIn, settings, isKnown }) => {
  if (isKnown || source === undefined) return undefined;
  const { right, wrong } = accountsOfSource(source, signIn.minute);
  if (wrong < settings.sprayedAccounts || wrong <= 2 * right) return undefined;
  return `the network sent wrong passwords for about ${wrong} accounts`;
};

const detectors: readonly (readonly [signal: RiskSignal, detect: Detector])[] = [
  ["new_source", newSource],
  ["new_country", newCountry],
  ["impossible_travel", impossibleTravel],
  ["many_countries", manyCountries],
  ["many_systems", manySystems],
  ["many_submissions", manySubmissions],
  ["scattered_submissions", scatteredSubmissions],
  ["guessed_account", guessedAccount],
  ["spraying_source", sprayingSource],
  ["leaked_password", ({ signIn }) => (signIn.isLeaked === true ? "the password is in the list" : undefined)],
  [
    "legacy_protocol",
    ({ signIn, settings, isKnown }) =>
      !isKnown &&
      signIn.hasSecondFactor === true &&
      signIn.credential === "password" &&
      settings.legacyProtocols.has(signIn.protocol)
        ? `${signIn.protocol} with a password only`
        : undefined,
  ],
];

function knows(facts: AccountFacts, { network, device, minute }: SignIn, settings: RiskSettings): boolean {
  if (device !== "" && facts.devices.some(({ name }) => name === device)) return true;
  const seen = facts.networks.find(({ id }) => id === network);
  return seen !== undefined && isKnownNetwork(seen, minute, settings);
}

export function levelOf(score: number, { scores }: Pick<RiskSettings, "scores">): RiskLevel {
  if (score >= scores.dangerous) return "dangerous";
  return score >= scores.suspicious ? "suspicious" : "ordinary";
}

/**
 * Scores a sign-in with a correct password. Without facts nothing is known of the account, and only the password itself
 * can raise a signal. Pure: the simulator and the replay of decisions use it too.
 */
export function assess(
  known: AccountFacts | undefined,
  source: SourceFacts | undefined,
  signIn: AssessedSignIn,
  settings: RiskSettings,
): Assessment {
  const { minute } = signIn;
  const none = { sinceMinute: minute, last: undefined, guessing: undefined, hold: undefined };
  const empty: AccountFacts = {
    ...none,
    countries: [],
    systems: [],
    protocols: [],
    clients: [],
    devices: [],
    networks: [],
  };
  const facts = known === undefined ? empty : withoutOldFacts(known, minute, settings);
  const isKnown = knows(facts, signIn, settings);
  const isLearned = known !== undefined && minute - facts.sinceMinute >= settings.learningMinutes;
  const one: Case = { facts, source, signIn, settings, isKnown, isLearned };
  const signals: RaisedSignal[] = [];
  let score = 0;
  for (const [signal, detect] of detectors) {
    const weight = settings.weights[signal];
    const reason = weight === 0 ? undefined : detect(one);
    if (reason !== undefined) {
      signals.push({ signal, weight, reason });
      score += weight;
    }
  }
  return { score, level: levelOf(score, settings), signals, isKnown };
}

/** What `enforce` does about a sign-in; empty for nothing. */
export interface RiskVerdict {
  readonly responses: ReadonlySet<RiskResponse>;
  /** Why it is refused; undefined if it is not. */
  readonly refusal: "deny" | "hold_mail" | "hold_submission" | undefined;
}

const noResponses: ReadonlySet<RiskResponse> = new Set();

/** Signals that an attacker without the password can cause. Alone they never refuse a sign-in. */
const causedFromOutside: ReadonlySet<RiskSignal> = new Set(["guessed_account", "spraying_source"]);

/** Whether an attacker without the password can raise all of these signals. */
export function isCausedFromOutside(signals: readonly RaisedSignal[]): boolean {
  return signals.every(({ signal }) => causedFromOutside.has(signal));
}

/** The protocols that a hold refuses, and whether it does so now: only where the account was not used before. */
function heldBy(facts: AccountFacts | undefined, signIn: SignIn, settings: RiskSettings) {
  const hold = facts?.hold;
  const { protocol, minute } = signIn;
  if (facts === undefined || hold === undefined || hold.untilMinute <= minute) return undefined;
  if (!isNewSource(facts, signIn)) return undefined;
  const protocols = hold.kind === "mail" ? settings.legacyProtocols : settings.submissionProtocols;
  return protocols.has(protocol) || settings.submissionProtocols.has(protocol)
    ? (`hold_${hold.kind}` as const)
    : undefined;
}

/**
 * The responses to an assessment, whatever the mode. Known networks and devices are never refused, and signals that an
 * outsider can cause are not enough to refuse a sign-in.
 */
export function verdictOf(
  facts: AccountFacts | undefined,
  signIn: AssessedSignIn,
  { level, signals, isKnown }: Assessment,
  settings: RiskSettings,
): RiskVerdict {
  const responses = level === "ordinary" ? noResponses : settings.responses[level];
  if (isKnown || signIn.isFactorNext === true) return { responses, refusal: undefined };
  const held = heldBy(facts, signIn, settings);
  if (held !== undefined) return { responses, refusal: held };
  if (isCausedFromOutside(signals)) return { responses, refusal: undefined };
  if (responses.has("deny")) return { responses, refusal: "deny" };
  if (responses.has("hold_mail") && settings.legacyProtocols.has(signIn.protocol)) {
    return { responses, refusal: "hold_mail" };
  }
  if (responses.has("hold_submission") && settings.submissionProtocols.has(signIn.protocol)) {
    return { responses, refusal: "hold_submission" };
  }
  return { responses, refusal: undefined };
}

/** The hold that a verdict begins, if it begins one. */
export function holdOf(
  { responses }: RiskVerdict,
  { signals, isKnown }: Assessment,
  { minute, settings }: { readonly minute: number; readonly settings: RiskSettings },
): AccountFacts["hold"] {
  if (isKnown || isCausedFromOutside(signals)) return undefined;
  const untilMinute = minute + settings.holdMinutes;
  if (responses.has("hold_mail")) return { kind: "mail", untilMinute };
  return responses.has("hold_submission") ? { kind: "submission", untilMinute } : undefined;
}
