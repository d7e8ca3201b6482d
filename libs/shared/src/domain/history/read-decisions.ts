import { canonicalIp } from "../../platform/net/ip.ts";
import { failingNetworksKey, trafficKey } from "../../platform/redis/keys/history.ts";
import {
  type DecisionOutcome,
  type FailureKind,
  failureKinds,
  openedPart,
  type RecordedDecision,
} from "./decision-record.ts";
import {
  accountPlace,
  type HistoryPlace,
  listKeyOf,
  networkPlace,
  referencesKeyOf,
  refusedPlace,
  shownReference,
} from "./history-places.ts";
import { type HistoryStore, openRecord } from "./store.ts";

type HistoryReaderOptions = HistoryStore & { readonly lifeMs: number; readonly nowMs: () => number };

/** All methods reject when Redis does not answer. */
export type DecisionHistory = ReturnType<typeof createDecisionHistory>;

interface Stored extends RecordedDecision {
  readonly identity: string;
}

const form = /^(\S+) (\d+) (\d+) (\d+) (\S+) (\S+)$/u;

function storedIn(record: string, key: string, keys: HistoryStore["keys"]): readonly Stored[] {
  const [, identity = "", first, last, count, session = "", sealed = ""] = form.exec(record) ?? [];
  const opened = openedPart(openRecord(keys, key, sealed));
  if (opened === undefined) return [];
  const times = { firstMs: Number(first) * 1000, timeMs: Number(last) * 1000, count: Number(count) };
  return [{ identity, ...opened, ...times, session }];
}

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
    for (let index = 0; index + 1 < list.length; index += 2) {
      const network = list[index] ?? "";
      const totals = networks.get(network) ?? { counted: 0, repeated: 0, refused: 0 };
      totals[kind] += Number(list[index + 1]);
      networks.set(network, totals);
    }
  };
  await Promise.all(failureKinds.flatMap((kind) => [read(kind, hour), read(kind, hour - 1)]));
  return [...networks]
    .map(([network, totals]) => ({ network, ...totals }))
    .toSorted((a, b) => b.counted - a.counted || b.refused - a.refused || b.repeated - a.repeated)
    .slice(0, size);
}

/** A refused sign-in is also in the account's history, if there is one. */
function joined(own: readonly Stored[], refused: readonly Stored[]): readonly Stored[] {
  const known = new Set(own.map(({ identity }) => identity));
  return [...own, ...refused.filter(({ identity }) => !known.has(identity))].toSorted((a, b) => b.timeMs - a.timeMs);
}

export function createDecisionHistory(options: HistoryReaderOptions) {
  const { redis, keyPrefix, keys, lifeMs, nowMs } = options;
  const readPlace = async (place: HistoryPlace): Promise<readonly Stored[]> => {
    const lists = (["ok", "other"] as const).map((list) => listKeyOf(keyPrefix, place, list));
    const found = await Promise.all(lists.map((key) => redis.lrange(key, 0, -1)));
    const oldest = nowMs() - lifeMs;
    return found
      .flatMap((records, index) => records.flatMap((record) => storedIn(record, lists[index] ?? "", keys)))
      .filter(({ timeMs }) => timeMs >= oldest)
      .toSorted((a, b) => b.timeMs - a.timeMs);
  };
  return {
    /** Records of an account, and of sign-ins with this name that a ban refused, newest first. */
    ofAccount: async (account: string): Promise<readonly RecordedDecision[]> => {
      const [own, refused] = await Promise.all([readPlace(accountPlace(account)), readPlace(refusedPlace(account))]);
      return joined(own, refused);
    },
    /** Records of the network (IPv4 /24, IPv6 /48) of an address, newest first. */
    ofNetwork: async (address: string): Promise<readonly RecordedDecision[]> =>
      readPlace(networkPlace(canonicalIp(address) ?? address)),
    /** The record behind the GUID of a request, or behind its part that pages show. */
    ofReference: async (reference: string): Promise<RecordedDecision | undefined> => {
      const shown = shownReference(reference);
      const places = await redis.zrevrange(referencesKeyOf(keyPrefix, shown), 0, -1);
      const found = places.find((text) => text.startsWith(`${shown} `));
      const [, digest = "", identity] = found?.split(" ") ?? [];
      if (found === undefined) return undefined;
      const records = await readPlace({ kind: "network", shard: digest.slice(0, 1), digest });
      const same = records.filter((record) => record.identity === identity);
      return same.find(({ session }) => session.startsWith(shown)) ?? same[0];
    },
    traffic: (sinceMs: number, untilMs: number) => readTraffic(options, sinceMs, untilMs),
    failingNetworks: (now: number, size: number) => readFailingNetworks(options, now, size),
  };
}
