import type { KeyRing } from "../../platform/crypto/key-ring.ts";
import { canonicalIp } from "../../platform/net/ip.ts";
import type { RedisClient } from "../../platform/redis/client.ts";
import { failingNetworksKey, trafficKey } from "../../platform/redis/keys/history.ts";
import {
  type DecisionOutcome,
  decisionOutcomes,
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

/** Decisions of one minute by outcome. */
export type MinuteOfTraffic = Readonly<Record<DecisionOutcome, number>> & { readonly minuteMs: number };

export type FailingNetwork = Readonly<Record<FailureKind, number>> & { readonly network: string };

/** All methods reject when Redis does not answer. */
export interface DecisionHistory {
  /** Records of an account, and of sign-ins with this name that a ban refused, newest first. */
  ofAccount(account: string): Promise<readonly RecordedDecision[]>;
  /** Records of the network (IPv4 /24, IPv6 /48) of an address, newest first. */
  ofNetwork(address: string): Promise<readonly RecordedDecision[]>;
  /** The record behind the GUID of a request, or behind its part that pages show. */
  ofReference(reference: string): Promise<RecordedDecision | undefined>;
  traffic(sinceMs: number, untilMs: number): Promise<readonly MinuteOfTraffic[]>;
  /** Networks with failures in this hour and the one before, those with most counted ones first. */
  failingNetworks(nowMs: number, size: number): Promise<readonly FailingNetwork[]>;
}

export interface HistoryReaderDeps {
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly keys: KeyRing;
  readonly lifeMs: number;
  readonly nowMs: () => number;
}

interface Stored extends RecordedDecision {
  readonly identity: string;
}

const form = /^(\S+) (\d+) (\d+) (\d+) (\S+) (\S+)$/u;

function storedIn(record: string, key: string, keys: KeyRing): readonly Stored[] {
  const [, identity = "", first, last, count, session = "", sealed = ""] = form.exec(record) ?? [];
  const plain = keys.open(Buffer.from(sealed, "base64"), key);
  const opened = plain === undefined ? undefined : openedPart(plain.toString("utf8"));
  if (opened === undefined) return [];
  const times = { firstMs: Number(first) * 1000, timeMs: Number(last) * 1000, count: Number(count) };
  return [{ identity, ...opened, ...times, session }];
}

const hourMs = 3_600_000;
const minuteMs = 60_000;

function createTrafficReader({ redis, keyPrefix }: HistoryReaderDeps): DecisionHistory["traffic"] {
  return async (sinceMs, untilMs) => {
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
      const [ok, denied, blocked, undecided] = decisionOutcomes.map(of);
      return {
        minuteMs: minute * minuteMs,
        ok: ok ?? 0,
        denied: denied ?? 0,
        blocked: blocked ?? 0,
        undecided: undecided ?? 0,
      };
    });
  };
}

function createFailingReader({ redis, keyPrefix }: HistoryReaderDeps): DecisionHistory["failingNetworks"] {
  const read = async (hour: number, kind: FailureKind) =>
    redis.zrevrange(failingNetworksKey.build(keyPrefix, String(hour), kind), 0, -1, "WITHSCORES");
  return async (nowMs, size) => {
    const hour = Math.floor(nowMs / hourMs);
    const networks = new Map<string, Record<FailureKind, number>>();
    for (const kind of failureKinds) {
      const found = await Promise.all([hour, hour - 1].map((one) => read(one, kind)));
      for (const list of found) {
        for (let index = 0; index + 1 < list.length; index += 2) {
          const network = list[index] ?? "";
          const totals = networks.get(network) ?? { counted: 0, repeated: 0, refused: 0 };
          totals[kind] += Number(list[index + 1]);
          networks.set(network, totals);
        }
      }
    }
    return [...networks]
      .map(([network, totals]) => ({ network, ...totals }))
      .toSorted((a, b) => b.counted - a.counted || b.refused - a.refused || b.repeated - a.repeated)
      .slice(0, size);
  };
}

/** A refused sign-in is also in the account's history, if there is one. */
function joined(own: readonly Stored[], refused: readonly Stored[]): readonly Stored[] {
  const known = new Set(own.map(({ identity }) => identity));
  return [...own, ...refused.filter(({ identity }) => !known.has(identity))].toSorted((a, b) => b.timeMs - a.timeMs);
}

export function createDecisionHistory(deps: HistoryReaderDeps): DecisionHistory {
  const { redis, keyPrefix, keys, lifeMs, nowMs } = deps;
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
    ofAccount: async (account) => {
      const [own, refused] = await Promise.all([readPlace(accountPlace(account)), readPlace(refusedPlace(account))]);
      return joined(own, refused);
    },
    ofNetwork: async (address) => readPlace(networkPlace(canonicalIp(address) ?? address)),
    ofReference: async (reference) => {
      const shown = shownReference(reference);
      const places = await redis.zrevrange(referencesKeyOf(keyPrefix, shown), 0, -1);
      const found = places.find((text) => text.startsWith(`${shown} `));
      const [, digest = "", identity] = found?.split(" ") ?? [];
      if (found === undefined) return undefined;
      const records = await readPlace({ kind: "network", shard: digest.slice(0, 1), digest });
      const same = records.filter((record) => record.identity === identity);
      return same.find(({ session }) => session.startsWith(shown)) ?? same[0];
    },
    traffic: createTrafficReader(deps),
    failingNetworks: createFailingReader(deps),
  };
}
