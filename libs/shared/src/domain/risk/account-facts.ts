import type { Location } from "./place.ts";
import { isSketch, type Sketch } from "./sketch.ts";

/** All times are minutes since the epoch. */
export interface SeenNetwork {
  /** Keyed digest of the network. */
  readonly id: string;
  readonly country: string;
  readonly system: number;
  readonly firstMinute: number;
  readonly lastMinute: number;
  /** A sign-in from it was suspicious; it does not become a known network. */
  readonly isDoubted: boolean;
}

/** A country, system, protocol or client family with which the account signed in, or a device that its user confirmed. */
export interface Seen {
  readonly name: string;
  readonly lastMinute: number;
}

/** Networks with wrong passwords for the account, in this hour and the one before. */
export interface Guessing {
  readonly hour: number;
  readonly current: Sketch;
  readonly previous: Sketch;
}

export const holdKinds = ["mail", "submission"] as const;

/** Unknown networks may not use mail protocols, or not submit mail, until the user confirms the sign-in or the hold expires. */
export interface Hold {
  readonly kind: (typeof holdKinds)[number];
  readonly untilMinute: number;
}

/** Submission of mail from networks that are not known to the account, in this hour and the one before. */
export interface Sending {
  readonly hour: number;
  readonly count: number;
  readonly networks: Sketch;
  readonly countBefore: number;
  readonly networksBefore: Sketch;
  /** This hour was suspicious, and does not become a habit. */
  readonly isDoubted: boolean;
  /** The most in an hour that was not suspicious: the habit of the account. */
  readonly maxPerHour: number;
}

/** What the account used, newest first; in this order in its value. */
export const seenLists = ["countries", "systems", "protocols", "clients", "devices"] as const;
type SeenList = (typeof seenLists)[number];
type SeenLists = Readonly<Record<SeenList, readonly Seen[]>>;

export const seenListsOf = (read: (list: SeenList) => readonly Seen[]): SeenLists => ({
  countries: read("countries"),
  systems: read("systems"),
  protocols: read("protocols"),
  clients: read("clients"),
  devices: read("devices"),
});

/** What is remembered of an account, in one value of less than 1 KB. */
export interface AccountFacts extends SeenLists {
  readonly sinceMinute: number;
  /** Place of the last sign-in that was not suspicious. */
  readonly last: (Location & { readonly minute: number }) | undefined;
  readonly guessing: Guessing | undefined;
  readonly hold: Hold | undefined;
  /** Absent in values of earlier versions, which drop it. */
  readonly sending?: Sending | undefined;
  /** When the user last confirmed a sign-in: holds that began before are over, in other regions too. Earlier versions drop it. */
  readonly confirmedMinute?: number | undefined;
  readonly networks: readonly SeenNetwork[];
}

const version = "1";
const text = (value: number): string => value.toString(36);
const listOf = (seen: readonly Seen[]): string =>
  seen.map(({ name, lastMinute }) => `${name},${text(lastMinute)}`).join(";");

const isSafe = /^[a-z0-9_-]{0,16}$/;

/** Names come from callers, so only these characters are kept; they cannot end a field. */
export function safeName(name: string): string {
  // Most names are safe as they are, and a test is cheaper than three copies.
  if (isSafe.test(name)) return name;
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, "")
    .slice(0, 16);
}

function sendingText({ hour, count, networks, countBefore, networksBefore, maxPerHour, isDoubted }: Sending): string {
  const numbers = [text(hour), text(count), networks, text(countBefore), networksBefore, text(maxPerHour)];
  return [...numbers, isDoubted ? "d" : ""].join();
}

/** The fields that values of earlier versions do not have. */
function laterFields({ sending, confirmedMinute }: AccountFacts): readonly string[] {
  const ofSending = sending === undefined ? "" : sendingText(sending);
  if (confirmedMinute !== undefined) return [ofSending, text(confirmedMinute)];
  return ofSending === "" ? [] : [ofSending];
}

export function encodeAccountFacts(facts: AccountFacts): string {
  const { sinceMinute, last, guessing, hold, networks } = facts;
  return [
    version,
    text(sinceMinute),
    last === undefined ? "" : [last.latitude, last.longitude, text(last.minute)].join(),
    guessing === undefined ? "" : [text(guessing.hour), guessing.current, guessing.previous].join(),
    hold === undefined ? "" : [hold.kind, text(hold.untilMinute)].join(),
    ...seenLists.map((list) => listOf(facts[list])),
    networks
      .map(({ id, country, system, firstMinute, lastMinute, isDoubted }) =>
        [id, country, text(system), text(firstMinute), text(lastMinute - firstMinute), isDoubted ? "d" : ""].join(),
      )
      .join(";"),
    ...laterFields(facts),
  ].join("!");
}

function numberOf(value: string | undefined, radix = 36): number | undefined {
  const found = value === undefined ? Number.NaN : Number.parseInt(value, radix);
  return Number.isSafeInteger(found) ? found : undefined;
}

function items<Item>(field: string | undefined, read: (parts: readonly string[]) => Item | undefined): Item[] {
  if (field === undefined || field === "") return [];
  return field.split(";").flatMap((item) => read(item.split(",")) ?? []);
}

function seenOf([name, last]: readonly string[]): Seen | undefined {
  const lastMinute = numberOf(last);
  return name === undefined || name === "" || lastMinute === undefined ? undefined : { name, lastMinute };
}

function networkOf([id, country = "", systemText, first, since, doubt]: readonly string[]): SeenNetwork | undefined {
  const [system, firstMinute, age] = [numberOf(systemText), numberOf(first), numberOf(since)];
  if (id === undefined || id === "" || system === undefined || firstMinute === undefined || age === undefined) {
    return undefined;
  }
  return { id, country, system, firstMinute, lastMinute: firstMinute + age, isDoubted: doubt === "d" };
}

function lastOf(field = ""): AccountFacts["last"] {
  const [lat, lon, at] = field.split(",");
  const [latitude, longitude, minute] = [numberOf(lat, 10), numberOf(lon, 10), numberOf(at)];
  if (latitude === undefined || longitude === undefined || minute === undefined) return undefined;
  return { latitude, longitude, minute };
}

function guessingOf(field = ""): Guessing | undefined {
  const [at, current = "", previous = ""] = field.split(",");
  const hour = numberOf(at);
  return hour !== undefined && isSketch(current) && isSketch(previous) ? { hour, current, previous } : undefined;
}

function sendingOf(field = ""): Sending | undefined {
  const [at, sent, networks = "", sentBefore, networksBefore = "", habit, doubt] = field.split(",");
  const [hour, count, countBefore, maxPerHour] = [numberOf(at), numberOf(sent), numberOf(sentBefore), numberOf(habit)];
  if (hour === undefined || count === undefined || countBefore === undefined || maxPerHour === undefined)
    return undefined;
  if (!(isSketch(networks) && isSketch(networksBefore))) return undefined;
  return { hour, count, networks, countBefore, networksBefore, maxPerHour, isDoubted: doubt === "d" };
}

function holdOf(field = ""): Hold | undefined {
  const [name, until] = field.split(",");
  const kind = holdKinds.find((known) => known === name);
  const untilMinute = numberOf(until);
  return kind === undefined || untilMinute === undefined ? undefined : { kind, untilMinute };
}

/** Undefined for a value that this version did not write; the account then has no facts. */
export function decodeAccountFacts(value: string): AccountFacts | undefined {
  const [form, since, last, guessing, hold, countries, systems, protocols, clients, devices, networks, ...later] =
    value.split("!");
  const lists = { countries, systems, protocols, clients, devices };
  const [sending, confirmed] = later;
  const sinceMinute = numberOf(since);
  if (form !== version || sinceMinute === undefined || networks === undefined) return undefined;
  return {
    sinceMinute,
    last: lastOf(last),
    guessing: guessingOf(guessing),
    hold: holdOf(hold),
    sending: sendingOf(sending),
    confirmedMinute: numberOf(confirmed),
    ...seenListsOf((list) => items(lists[list], seenOf)),
    networks: items(networks, networkOf),
  };
}
