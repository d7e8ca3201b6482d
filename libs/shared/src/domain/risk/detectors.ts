import type { AccountFacts, SeenNetwork } from "./account-facts.ts";
import { type AssessedSignIn, isNewSource } from "./note.ts";
import { distanceKm } from "./place.ts";
import type { RiskSettings } from "./risk-settings.ts";
import { submissionsWith } from "./sending.ts";
import type { RiskSignal } from "./signals.ts";
import { countOfSketch } from "./sketch.ts";
import { accountsOfSource, hourOf, minutesPerHour, type SourceFacts } from "./source-facts.ts";

export interface Case {
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

/** Many mail programs do not name themselves, which means nothing. */
const newClient: Detector = ({ facts, signIn: { client }, isKnown, isLearned }) => {
  if (isKnown || !isLearned || client === "" || facts.clients.length === 0) return undefined;
  return facts.clients.some(({ name }) => name === client) ? undefined : `${client} is new`;
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

/** A sign-in from a known network raises nothing: only the others of the hour would be new, and those have their own assessment. */
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

/** The share of accounts with a correct password that are strange to a network from which passwords are tried out. */
const strangeShare = 2 / 3;

const isSubmission = ({ signIn, settings }: Case): boolean => settings.submissionProtocols.has(signIn.protocol);

/** Small enough that ordinary phones hide no attack, large enough that a habit can grow. */
const habitFactor = 1.2;

/** Compared with the habit of the account, so that who sends much from everywhere is left alone. */
const manySubmissions: Detector = (one) => {
  if (one.isKnown || !one.isLearned || !isSubmission(one)) return undefined;
  const { count, maxPerHour } = submissionsWith(one.facts.sending, one.signIn);
  if (count < one.settings.submissionsPerHour || count <= habitFactor * maxPerHour) return undefined;
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

/** In a hotel or behind a VPN, most are new too, but few at a time; elsewhere most accounts know the network. */
const strangeAccounts: Detector = ({ source, signIn, settings, isKnown }) => {
  if (isKnown || source === undefined) return undefined;
  const { right, strange } = accountsOfSource(source, signIn.minute);
  if (strange < settings.strangeAccounts || strange < strangeShare * right) return undefined;
  return `the network signed in to about ${strange} accounts that did not know it`;
};

/** The operator's lists. */
const listedNetwork: Detector = ({ signIn: { listedWeight }, isKnown }) =>
  isKnown || listedWeight === undefined ? undefined : "the network is in a list";

export const detectors: readonly (readonly [signal: RiskSignal, detect: Detector])[] = [
  ["new_source", newSource],
  ["new_country", newCountry],
  ["new_client", newClient],
  ["impossible_travel", impossibleTravel],
  ["many_countries", manyCountries],
  ["many_systems", manySystems],
  ["many_submissions", manySubmissions],
  ["scattered_submissions", scatteredSubmissions],
  ["guessed_account", guessedAccount],
  ["spraying_source", sprayingSource],
  ["strange_accounts", strangeAccounts],
  ["listed_network", listedNetwork],
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
