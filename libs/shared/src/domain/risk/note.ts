import {
  type AccountFacts,
  type Hold,
  type Seen,
  type SeenNetwork,
  safeName,
  seenLists,
  seenListsOf,
} from "./account-facts.ts";
import type { Place } from "./place.ts";
import type { RiskSettings } from "./risk-settings.ts";
import { noteSubmission, trustSending } from "./sending.ts";
import { addToSketch } from "./sketch.ts";
import { hourOf } from "./source-facts.ts";

/** A sign-in with a correct password. */
export interface SignIn {
  readonly minute: number;
  /** Keyed digest of the network. */
  readonly network: string;
  readonly place: Place;
  readonly protocol: string;
  /** Family of the mail client; empty if unknown. */
  readonly client: string;
  /** Digest that recognises a browser; empty if there is none. */
  readonly device: string;
}

/** A sign-in with everything that a score may depend on. */
export interface AssessedSignIn extends SignIn {
  /** Tokens have no score; a hold may refuse them. */
  readonly credential: "password" | "app_password" | "token";
  /** Whether the password is in the list of leaked ones. Absent if it was not compared. */
  readonly isLeaked?: boolean | undefined;
  /** Absent if the backend was not asked. */
  readonly hasSecondFactor?: boolean | undefined;
  /** Weight of the network in the operator's lists. Absent if it is in none. */
  readonly listedWeight?: number | undefined;
  /** On the sign-in pages. */
  readonly isOnPages?: boolean | undefined;
  /** A second factor follows, which confirms or ends the sign-in: nothing else refuses it. */
  readonly isFactorNext?: boolean | undefined;
}

/** Bounds of a value; the largest has about 800 characters. */
export const maxEntries = {
  networks: 12,
  known: 8,
  countries: 8,
  systems: 8,
  protocols: 5,
  clients: 4,
  devices: 4,
} as const;
/** A network that was seen recently is not written again. Shorter than the hour for which countries are counted. */
const freshMinutes = 30;
/** Countries, protocols and so on are remembered for months. */
const dayMinutes = 1440;
/** A doubt ends: the next sign-in is assessed as if it were the first. */
const doubtMinutes = 7 * dayMinutes;

export type Ages = Pick<RiskSettings, "retentionMinutes" | "knownAfterMinutes" | "submissionProtocols">;

export function newAccountFacts(minute: number): AccountFacts {
  const none = { last: undefined, guessing: undefined, hold: undefined, networks: [] };
  return { sinceMinute: minute, ...none, ...seenListsOf(() => []) };
}

export function isKnownNetwork(network: SeenNetwork, minute: number, { knownAfterMinutes }: Ages): boolean {
  return !network.isDoubted && minute - network.firstMinute >= knownAfterMinutes;
}

/** Neither the network nor its system was used for the account. */
export function isNewSource(facts: AccountFacts, { network, place: { system } }: SignIn): boolean {
  if (facts.networks.some(({ id, isDoubted }) => id === network && !isDoubted)) return false;
  return system === 0 || !facts.systems.some(({ name }) => name === String(system));
}

/** During a hold, what is new becomes familiar only if the user confirms it: otherwise reading mail there would end the hold there. */
const isHeldSource = (facts: AccountFacts, signIn: SignIn): boolean =>
  facts.hold !== undefined && isNewSource(facts, signIn);

/** A sign-in makes no device known, but one that is known stays so while it is used. */
function withDevice({ devices }: AccountFacts, { device, minute }: SignIn): AccountFacts["devices"] {
  const isKnown = device !== "" && devices.some(({ name }) => name === device);
  return isKnown ? withSeen(devices, device, minute, maxEntries.devices) : devices;
}

/** Newest first. */
function withSeen(list: readonly Seen[], name: string, minute: number, maximum: number): readonly Seen[] {
  if (name === "") return list;
  const before = list.find((one) => one.name === name);
  if (before !== undefined && minute - before.lastMinute < dayMinutes) return list;
  return [{ name, lastMinute: minute }, ...list.filter((one) => one !== before)].slice(0, maximum);
}

/**
 * Known networks have separate places, which sign-ins from other networks do not take. Of the others, those of suspicious sign-ins take only one
 * place from those that are not, so that an attacker's many networks do not displace one that will be known soon.
 */
export function bounded(networks: readonly SeenNetwork[], minute: number, ages: Ages): readonly SeenNetwork[] {
  const known = networks.filter((one) => isKnownNetwork(one, minute, ages));
  const young = networks.filter((one) => !(one.isDoubted || known.includes(one)));
  const doubted = networks.filter((one) => one.isDoubted && !known.includes(one));
  const places = maxEntries.networks - maxEntries.known;
  const others = [
    ...young.slice(0, places - 1),
    ...doubted.slice(0, 1),
    ...young.slice(places - 1),
    ...doubted.slice(1),
  ];
  const kept = new Set([...known.slice(0, maxEntries.known), ...others.slice(0, places)]);
  return networks.filter((one) => kept.has(one));
}

function withNetwork(facts: AccountFacts, signIn: SignIn, isDoubted: boolean, ages: Ages): readonly SeenNetwork[] {
  const { minute, network: id, place } = signIn;
  const before = facts.networks.find((one) => one.id === id);
  const isFresh = before !== undefined && minute - before.lastMinute < freshMinutes;
  if (before !== undefined && isFresh && before.isDoubted === (before.isDoubted || isDoubted)) return facts.networks;
  const seen: SeenNetwork = {
    id,
    country: place.country,
    system: place.system,
    firstMinute: before?.firstMinute ?? minute,
    lastMinute: Math.max(minute, before?.lastMinute ?? 0),
    isDoubted: isDoubted || before?.isDoubted === true,
  };
  return bounded([seen, ...facts.networks.filter((one) => one !== before)], minute, ages);
}

/** Removes what is too old. The same object if nothing is. */
export function withoutOldFacts(facts: AccountFacts, minute: number, { retentionMinutes }: Ages): AccountFacts {
  const isOld = ({ lastMinute }: { readonly lastMinute: number }): boolean => minute - lastMinute > retentionMinutes;
  const isOver = (one: SeenNetwork): boolean =>
    isOld(one) || (one.isDoubted && minute - one.firstMinute > doubtMinutes);
  const holdIsOver = facts.hold !== undefined && facts.hold.untilMinute <= minute;
  const isAnyOld = seenLists.some((list) => facts[list].some(isOld));
  if (!holdIsOver && !facts.networks.some(isOver) && !isAnyOld) return facts;
  return {
    ...facts,
    hold: holdIsOver ? undefined : facts.hold,
    networks: facts.networks.filter((one) => !isOver(one)),
    ...seenListsOf((list) => facts[list].filter((one) => !isOld(one))),
  };
}

/** What a known network sends is not counted, so that it costs no write. */
function sendingOf(facts: AccountFacts, signIn: SignIn, isDoubted: boolean, ages: Ages): AccountFacts["sending"] {
  const { network, minute, protocol } = signIn;
  if (!ages.submissionProtocols.has(protocol)) return facts.sending;
  const seen = facts.networks.find(({ id }) => id === network);
  if (seen !== undefined && isKnownNetwork(seen, minute, ages)) return facts.sending;
  return noteSubmission(facts.sending, { network, minute }, isDoubted);
}

function lastOf({ last }: AccountFacts, { minute, place }: SignIn): AccountFacts["last"] {
  const { location } = place;
  if (location === undefined) return last;
  const isSame = last !== undefined && last.latitude === location.latitude && last.longitude === location.longitude;
  return isSame && minute - last.minute < freshMinutes ? last : { ...location, minute };
}

/**
 * Adds a sign-in. A doubted one leaves only its network, so that it makes nothing familiar. The same object if it adds
 * nothing: most sign-ins do not, and are not written.
 */
export function noteSignIn(
  known: AccountFacts | undefined,
  signIn: SignIn,
  noted: { readonly isDoubted: boolean; readonly hold?: Hold | undefined; readonly ages: Ages },
): AccountFacts {
  const { hold, ages } = noted;
  const { minute, place } = signIn;
  const facts = known === undefined ? newAccountFacts(minute) : withoutOldFacts(known, minute, ages);
  const isDoubted = noted.isDoubted || isHeldSource(facts, signIn);
  // Scored before the user confirmed the network, and written after it.
  if (isDoubted && facts.networks.some((one) => one.id === signIn.network && isKnownNetwork(one, minute, ages))) {
    return facts;
  }
  const networks = withNetwork(facts, signIn, isDoubted, ages);
  const held = facts.hold ?? hold;
  const sending = sendingOf(facts, signIn, isDoubted, ages);
  if (isDoubted) {
    const adds = networks !== facts.networks || held !== facts.hold || sending !== facts.sending;
    return adds ? { ...facts, networks, hold: held, sending } : facts;
  }
  const next: AccountFacts = {
    ...facts,
    networks,
    hold: held,
    sending,
    last: lastOf(facts, signIn),
    countries: withSeen(facts.countries, safeName(place.country), minute, maxEntries.countries),
    systems: withSeen(facts.systems, place.system === 0 ? "" : String(place.system), minute, maxEntries.systems),
    protocols: withSeen(facts.protocols, safeName(signIn.protocol), minute, maxEntries.protocols),
    clients: withSeen(facts.clients, safeName(signIn.client), minute, maxEntries.clients),
    devices: withDevice(facts, signIn),
  };
  return isEqual(facts, next) ? facts : next;
}

const noted = ["networks", "hold", "sending", "last", ...seenLists] as const;
const isEqual = (one: AccountFacts, other: AccountFacts): boolean => noted.every((name) => one[name] === other[name]);

/** Adds a wrong password for the account. The same object if its network is counted already. */
export function noteWrongPassword(
  facts: AccountFacts,
  { network, minute }: Pick<SignIn, "network" | "minute">,
): AccountFacts {
  const hour = hourOf(minute);
  const before = facts.guessing;
  const follows = before !== undefined && before.hour === hour - 1;
  const guessing =
    before === undefined || before.hour < hour
      ? { hour, current: "", previous: follows ? before.current : "" }
      : before;
  const current = addToSketch(guessing.current, network);
  return current === guessing.current && guessing === before ? facts : { ...facts, guessing: { ...guessing, current } };
}

/**
 * The user has said "it was me", proven by a second factor or a known device: the hold ends, and the network and the
 * device are known from now on.
 */
export function confirmSignIn(facts: AccountFacts, signIn: SignIn, ages: Ages): AccountFacts {
  const own = facts.networks.filter(({ id }) => id !== signIn.network);
  const firstMinute = Math.max(0, signIn.minute - ages.knownAfterMinutes);
  const { place, minute, network: id } = signIn;
  const confirmed: SeenNetwork = {
    id,
    country: place.country,
    system: place.system,
    firstMinute,
    lastMinute: minute,
    isDoubted: false,
  };
  const trusted: AccountFacts = {
    ...facts,
    hold: undefined,
    confirmedMinute: minute,
    sending: trustSending(facts.sending),
    networks: bounded([confirmed, ...own], minute, ages),
    devices: withSeen(facts.devices, signIn.device, minute, maxEntries.devices),
  };
  return noteSignIn(trusted, signIn, { isDoubted: false, ages });
}
