import {
  type AccountFacts,
  type Guessing,
  type Hold,
  type Seen,
  type SeenNetwork,
  type Sending,
  seenListsOf,
} from "./account-facts.ts";
import { type Ages, bounded, isKnownNetwork, maxEntries, withoutOldFacts } from "./note.ts";
import type { RiskSettings } from "./risk-settings.ts";
import { joinSketches } from "./sketch.ts";

export type MergeSettings = Ages & Pick<RiskSettings, "holdMinutes">;

/** Newer first; of the same age, in an order that all regions share. */
const byAge = (one: Seen, other: Seen): number => other.lastMinute - one.lastMinute || (one.name < other.name ? -1 : 1);

function mergeSeen(one: readonly Seen[], other: readonly Seen[], maximum: number): readonly Seen[] {
  const latest = new Map<string, Seen>();
  for (const seen of [...one, ...other]) {
    const before = latest.get(seen.name);
    if (before === undefined || before.lastMinute < seen.lastMinute) latest.set(seen.name, seen);
  }
  return [...latest.values()].toSorted(byAge).slice(0, maximum);
}

const placeText = ({ country, system }: SeenNetwork): string => `${country} ${system}`;

/** What one region knows, no other one doubts: its user confirmed it, or nothing was suspicious for long. Of anything else, the doubt remains. */
function mergeNetwork(one: SeenNetwork, other: SeenNetwork, minute: number, ages: Ages): SeenNetwork {
  const both = [one, other];
  const known = both.filter((network) => isKnownNetwork(network, minute, ages));
  const isKnown = known.length > 0;
  const isDoubted = !isKnown && (one.isDoubted || other.isDoubted);
  const since = isKnown ? both.filter((network) => !network.isDoubted) : both;
  const isFirst =
    one.lastMinute === other.lastMinute ? placeText(one) > placeText(other) : one.lastMinute > other.lastMinute;
  return {
    ...(isFirst ? one : other),
    firstMinute: Math.min(...since.map(({ firstMinute }) => firstMinute)),
    lastMinute: Math.max(one.lastMinute, other.lastMinute),
    isDoubted,
  };
}

function mergeNetworks(one: AccountFacts, other: AccountFacts, minute: number, ages: Ages): readonly SeenNetwork[] {
  const merged = new Map(one.networks.map((network) => [network.id, network]));
  for (const network of other.networks) {
    const before = merged.get(network.id);
    merged.set(network.id, before === undefined ? network : mergeNetwork(before, network, minute, ages));
  }
  const newest = [...merged.values()].toSorted(
    (a, b) => b.lastMinute - a.lastMinute || (a.id < b.id ? -1 : Number(a.id > b.id)),
  );
  return bounded(newest, minute, ages);
}

const latestOf = (...minutes: readonly (number | undefined)[]): number | undefined => {
  const known = minutes.filter((minute) => minute !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
};

/** The union of both. What began before the user confirmed a sign-in is over. */
function mergeHold(
  holds: readonly (Hold | undefined)[],
  confirmedMinute: number | undefined,
  { holdMinutes }: MergeSettings,
): Hold | undefined {
  const inForce = holds.flatMap((hold) => hold ?? []);
  const valid = inForce.filter(({ untilMinute }) => untilMinute - holdMinutes > (confirmedMinute ?? -1));
  if (valid.length === 0) return undefined;
  const kind = valid.some((hold) => hold.kind === "mail") ? "mail" : "submission";
  return { kind, untilMinute: Math.max(...valid.map(({ untilMinute }) => untilMinute)) };
}

type Place = AccountFacts["last"];

function mergeLast(one: Place, other: Place): Place {
  if (one === undefined || other === undefined) return one ?? other;
  if (one.minute !== other.minute) return one.minute > other.minute ? one : other;
  const order = one.latitude - other.latitude || one.longitude - other.longitude;
  return order > 0 ? one : other;
}

function mergeGuessing(one: Guessing | undefined, other: Guessing | undefined): Guessing | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const [later, earlier] = one.hour >= other.hour ? [one, other] : [other, one];
  if (later.hour === earlier.hour) {
    const current = joinSketches(later.current, earlier.current);
    return { hour: later.hour, current, previous: joinSketches(later.previous, earlier.previous) };
  }
  if (later.hour > earlier.hour + 1) return later;
  return { ...later, previous: joinSketches(later.previous, earlier.current) };
}

/** Regions count their own submissions; of an hour, the larger number counts. */
function mergeSending(one: Sending | undefined, other: Sending | undefined): Sending | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const [later, earlier] = one.hour >= other.hour ? [one, other] : [other, one];
  const maxPerHour = Math.max(later.maxPerHour, earlier.maxPerHour);
  if (later.hour !== earlier.hour)
    return { ...later, maxPerHour: earlier.isDoubted ? maxPerHour : Math.max(maxPerHour, earlier.count) };
  return {
    hour: later.hour,
    count: Math.max(later.count, earlier.count),
    networks: joinSketches(later.networks, earlier.networks),
    countBefore: Math.max(later.countBefore, earlier.countBefore),
    networksBefore: joinSketches(later.networksBefore, earlier.networksBefore),
    isDoubted: later.isDoubted || earlier.isDoubted,
    maxPerHour,
  };
}

/**
 * The union of what two regions know of an account, within the bounds of a value: the newest are kept. Neither order nor repetition matters.
 */
export function mergeAccountFacts(
  one: AccountFacts,
  other: AccountFacts,
  minute: number,
  settings: MergeSettings,
): AccountFacts {
  const [first, second] = [withoutOldFacts(one, minute, settings), withoutOldFacts(other, minute, settings)];
  const confirmedMinute = latestOf(first.confirmedMinute, second.confirmedMinute);
  return {
    sinceMinute: Math.min(first.sinceMinute, second.sinceMinute),
    last: mergeLast(first.last, second.last),
    guessing: mergeGuessing(first.guessing, second.guessing),
    hold: mergeHold([first.hold, second.hold], confirmedMinute, settings),
    sending: mergeSending(first.sending, second.sending),
    confirmedMinute,
    ...seenListsOf((list) => mergeSeen(first[list], second[list], maxEntries[list])),
    networks: mergeNetworks(first, second, minute, settings),
  };
}
