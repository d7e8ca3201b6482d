import { canonicalIp } from "../../platform/net/ip.ts";
import { failingNetworksKey, trafficKey } from "../../platform/redis/keys/history.ts";
import { pairsIn } from "../../platform/redis/pairs.ts";
import { type DecisionOutcome, type FailureKind, failureKinds, type RecordedDecision } from "./decision-record.ts";
import {
  accountPlace,
  accountsKeyOf,
  earlierReferencesKeyOf,
  type HistoryPlace,
  networkBeginning,
  networkPlace,
  placeWith,
  readPlace,
  referencesKeyOf,
  refusedPlace,
  shownReference,
} from "./history-places.ts";
import { createHistoryPages, type HistoryPagesOptions } from "./read-pages.ts";
import {
  createPlacesReader,
  type HistoryReaderOptions,
  joined,
  type ReadPlaces,
  type Stored,
  unique,
} from "./read-places.ts";
import type { HistoryStore } from "./store.ts";

/** All methods reject when Redis does not answer. */
export type DecisionHistory = ReturnType<typeof createDecisionHistory>;

const hourMs = 3_600_000;
const minuteMs = 60_000;

/** Decisions of each minute by outcome. */
async function readTraffic({ redis, keyPrefix }: HistoryStore, sinceMs: number, untilMs: number) {
  const from = Math.floor(sinceMs / hourMs);
  const hours = Array.from({ length: Math.floor(untilMs / hourMs) - from + 1 }, (_, index) => String(from + index));
  const found = await Promise.all(hours.map((hour) => redis.hgetall(trafficKey.build(keyPrefix, hour))));
  // A batch is counted under the hour in which it was written, so a minute may be in two of them.
  const totals = new Map<string, number>();
  for (const hash of found) {
    for (const [field, count] of Object.entries(hash)) totals.set(field, (totals.get(field) ?? 0) + Number(count));
  }
  if (totals.size === 0) return [];
  const first = Math.floor(sinceMs / minuteMs);
  return Array.from({ length: Math.floor(untilMs / minuteMs) - first + 1 }, (_, index) => {
    const minute = first + index;
    const of = (outcome: DecisionOutcome): number => totals.get(`${minute}:${outcome}`) ?? 0;
    const counts = { ok: of("ok"), denied: of("denied"), blocked: of("blocked"), undecided: of("undecided") };
    return { minuteMs: minute * minuteMs, ...counts };
  });
}

/** Networks with failures in this hour and the one before, those with most counted ones first. */
async function readFailingNetworks({ redis, keyPrefix }: HistoryStore, nowMs: number, size: number) {
  const hour = Math.floor(nowMs / hourMs);
  const networks = new Map<string, Record<FailureKind, number>>();
  const read = async (kind: FailureKind, of: number): Promise<void> => {
    const list = await redis.zrevrange(failingNetworksKey.build(keyPrefix, String(of), kind), 0, -1, "WITHSCORES");
    for (const [network, count] of pairsIn(list)) {
      const totals = networks.get(network) ?? { counted: 0, repeated: 0, refused: 0 };
      totals[kind] += Number(count);
      networks.set(network, totals);
    }
  };
  await Promise.all(failureKinds.flatMap((kind) => [read(kind, hour), read(kind, hour - 1)]));
  return [...networks]
    .map(([network, totals]) => ({ network, ...totals }))
    .toSorted((a, b) => b.counted - a.counted || b.refused - a.refused || b.repeated - a.repeated)
    .slice(0, size);
}

/** The network's own records, and those in the histories of accounts and names. */
async function readNetwork(
  { redis, keyPrefix }: HistoryStore,
  readPlaces: ReadPlaces,
  network: HistoryPlace,
): Promise<readonly Stored[]> {
  const keys = (["ok", "other"] as const).map((list) => accountsKeyOf(keyPrefix, network, list));
  const [own, ...members] = await Promise.all([
    readPlaces([network]),
    ...keys.map((key) => redis.zrevrange(key, 0, -1)),
  ]);
  const places = [...new Set(members.flat())].flatMap((written) => readPlace(written) ?? []);
  const others = await readPlaces(places, networkBeginning(network));
  const records = others.filter(({ clientIp }) => networkPlace(clientIp).digest === network.digest);
  return joined(unique([...own, ...records]));
}

/** The record behind a reference. */
async function readReference(
  { redis, keyPrefix }: HistoryStore,
  readPlaces: ReadPlaces,
  shown: string,
): Promise<Stored | undefined> {
  const keys = [referencesKeyOf(keyPrefix, shown), earlierReferencesKeyOf(keyPrefix, shown)];
  const written = (await Promise.all(keys.map((key) => redis.zrevrange(key, 0, -1)))).flat();
  const found = written.find((text) => text.startsWith(`${shown} `));
  const [, places = "", identity] = found?.split(" ") ?? [];
  if (found === undefined) return undefined;
  for (const place of places.split(",")) {
    // An earlier version wrote the digest of the network only.
    const at = place.includes(":") ? readPlace(place) : placeWith("network", place);
    const records = at === undefined ? [] : await readPlaces([at], `${identity} `);
    const same = records.toSorted((a, b) => b.timeMs - a.timeMs);
    const record = same.find(({ session }) => session.toLowerCase().startsWith(shown)) ?? same[0];
    if (record !== undefined) return record;
  }
  return undefined;
}

export function createDecisionHistory(options: HistoryReaderOptions & HistoryPagesOptions) {
  const readPlaces = createPlacesReader(options);
  return {
    /** Records of an account, and of sign-ins with this name that a ban refused, newest first. */
    ofAccount: async (account: string): Promise<readonly RecordedDecision[]> =>
      // Times are whole seconds; within one, the refusal follows the failures that caused the ban.
      joined(unique(await readPlaces([refusedPlace(account), accountPlace(account)]))),
    /** Records of the network (IPv4 /24, IPv6 /48) of an address, newest first. */
    ofNetwork: async (address: string): Promise<readonly RecordedDecision[]> =>
      readNetwork(options, readPlaces, networkPlace(canonicalIp(address) ?? address)),
    /** The record behind the GUID of a request, or behind its part that pages show. */
    ofReference: async (reference: string): Promise<RecordedDecision | undefined> =>
      readReference(options, readPlaces, shownReference(reference)),
    page: createHistoryPages(options, readPlaces),
    traffic: (sinceMs: number, untilMs: number) => readTraffic(options, sinceMs, untilMs),
    failingNetworks: (now: number, size: number) => readFailingNetworks(options, now, size),
  };
}
