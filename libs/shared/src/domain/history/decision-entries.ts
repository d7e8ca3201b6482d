import { createHotCache, remembering } from "../../platform/cache/hot-cache.ts";
import type { DecisionNote, DecisionRun } from "./decision-record.ts";
import { accountPlace, type HistoryList, type HistoryPlace, networkPlace, refusedPlace } from "./history-places.ts";

const hourMs = 3_600_000;
const minuteMs = 60_000;
/** More than the mailboxes of an office that one mistake bans. */
const namesPerNetwork = 256;
const maxNetworks = 4096;
/** In a minute with more failing networks than this, nothing is opened for those that were seen once. */
const manyNetworks = 256;
const maxAddresses = 16_384;
/** A sign-in is added to its network again after this time. */
const memberMs = 6 * hourMs;
const maxMembers = 16_384;

/**
 * How many names one banned network may have recorded in an hour: without a bound, a guesser in one network would displace the names of
 * everybody else's customers.
 */
function createRefusedShare() {
  const byNetwork = new Map<string, Set<string>>();
  let hour = 0;
  return {
    admits(network: string, name: string, nowMs: number): boolean {
      const now = Math.floor(nowMs / hourMs);
      if (now !== hour) byNetwork.clear();
      hour = now;
      const names = byNetwork.get(network) ?? new Set();
      if (names.has(name)) return true;
      if (names.size >= namesPerNetwork) return false;
      if (names.size === 0) {
        if (byNetwork.size >= maxNetworks) return false;
        byNetwork.set(network, names);
      }
      names.add(name);
      return true;
    },
  };
}

/** Recognises a flood from many networks: each of them would take memory, and displace the networks of customers. */
function createFlood() {
  let seen = new Map<string, number>();
  let before: ReadonlyMap<string, number> = seen;
  let minute = 0;
  return {
    note: (network: string, failures: number, nowMs: number): void => {
      const now = Math.floor(nowMs / minuteMs);
      if (now !== minute) {
        before = now === minute + 1 ? seen : new Map();
        seen = new Map();
        minute = now;
      }
      const known = seen.get(network);
      if (known !== undefined || seen.size < maxNetworks) seen.set(network, (known ?? 0) + failures);
    },
    /** Whether nothing is opened for this network. */
    ignores: (network: string): boolean =>
      seen.size > manyNetworks && (seen.get(network) ?? 0) <= 1 && !before.has(network),
  };
}

/** One record to write. */
export interface Entry {
  readonly run: DecisionRun;
  readonly action: "push" | "join" | "exist" | "count";
  readonly place: HistoryPlace;
  /** Where it is recorded if the account has no history. */
  readonly other?: HistoryPlace | undefined;
  readonly list: HistoryList;
  readonly network: HistoryPlace;
  /** Undefined if the record is the network's, or the network is not to find it. */
  readonly member: Member | undefined;
}

/** The history in which a record is. */
interface Home extends Pick<Entry, "place" | "other"> {
  /** Only if there is a history. */
  readonly mustExist?: boolean;
}

/** A history in which sign-ins from a network are. */
export interface Member {
  readonly network: HistoryPlace;
  readonly of: HistoryPlace;
  readonly list: "ok" | "other";
  readonly timeMs: number;
}

function listOf({ outcome, isAfterFailure }: DecisionNote): HistoryList {
  if (outcome !== "ok") return "other";
  return isAfterFailure === true ? "first" : "ok";
}

function actionOf({ outcome, isAfterFailure, isRepetition }: DecisionRun): Entry["action"] {
  if (outcome === "ok" && isAfterFailure !== true) return "count";
  return isRepetition === true ? "join" : "push";
}

function memberOfSuccess({ run: { timeMs }, network, place }: Entry): Member {
  return { network, of: place, list: "ok", timeMs };
}

/**
 * Where decisions are recorded. Each record is sealed once, for one history: of the account; of the typed name, if a ban refused it before
 * any backend was queried; or of the network, if no backend knows the name. The other histories refer to it.
 */
export function createEntries() {
  const share = createRefusedShare();
  const flood = createFlood();
  const networkOf = remembering(maxAddresses, networkPlace);
  const members = createHotCache<number>(maxMembers);
  const memberOf = (network: HistoryPlace, of: HistoryPlace, { outcome, timeMs }: DecisionRun): Member | undefined => {
    const list = outcome === "ok" ? "ok" : "other";
    const key = `${network.digest}${of.digest}${list}`;
    const isDue = timeMs - (members.get(key) ?? Number.NEGATIVE_INFINITY) >= memberMs;
    if (!isDue || (outcome !== "ok" && flood.ignores(network.digest))) return undefined;
    members.set(key, timeMs);
    return { network, of, list, timeMs };
  };
  /** What may not be an account's is added to the account's history if there is one, and otherwise recorded under its network. */
  const homeOf = (note: DecisionNote, network: HistoryPlace, nowMs: number): Home | undefined => {
    const { account, username, outcome, reason } = note;
    if (account !== undefined) return { place: accountPlace(account) };
    if (outcome === "blocked" && username !== "") {
      const refused = refusedPlace(username);
      return share.admits(network.digest, refused.digest, nowMs)
        ? { place: refused }
        : { place: accountPlace(username), mustExist: true };
    }
    const other = flood.ignores(network.digest) ? undefined : network;
    if (reason !== "unknown_user" && username !== "") return { place: accountPlace(username), mustExist: true, other };
    return other && { place: other };
  };
  const entryOf = (run: DecisionRun, nowMs: number): Entry | undefined => {
    const network = networkOf(run.clientIp);
    const home = homeOf(run, network, nowMs);
    if (home === undefined) return undefined;
    const { place, other, mustExist } = home;
    const action = mustExist === true ? "exist" : actionOf(run);
    const member = place.kind === "network" || action === "count" ? undefined : memberOf(network, place, run);
    return { run, action, place, other, list: listOf(run), network, member };
  };
  return {
    of: (runs: readonly DecisionRun[], nowMs: number): readonly Entry[] => {
      for (const { outcome, clientIp, count } of runs)
        if (outcome !== "ok") flood.note(networkOf(clientIp).digest, count, nowMs);
      return runs.flatMap((run) => entryOf(run, nowMs) ?? []);
    },
    /** The record of an account that turned out to have no history. */
    underNetwork: ({ run, network, list, other }: Entry): Entry | undefined =>
      other && { run, action: actionOf(run), place: other, list, network, member: undefined },
    /** An ordinary success whose history was begun or prolonged: its network finds it. */
    memberOfSuccess,
    /** The histories in which the record of a failure may be, the likeliest first. */
    placesOf: (note: DecisionNote, nowMs: number): readonly HistoryPlace[] => {
      const { place, other } = homeOf(note, networkOf(note.clientIp), nowMs) ?? {};
      return [place, other].filter((one) => one !== undefined);
    },
    networkOf,
  };
}
