import { failingNetworksKey, trafficKey } from "../../platform/redis/keys/history.ts";
import { defineVariableScript } from "../../platform/redis/script.ts";
import { knownNetworkOf } from "../brute-force/index.ts";
import { type DecisionBatch, type DecisionNote, type FailureKind, failureKinds } from "./decision-record.ts";
import { type HistoryPlace, identityOf, referencesKeyOf, shownReference, writtenPlace } from "./history-places.ts";
import noteReferencesLua from "./scripts/note-references.lua?raw";
import noteTrafficLua from "./scripts/note-traffic.lua?raw";
import { type HistoryWriterOptions, secondsOf } from "./store.ts";

/** Counts are written together after this time. */
const takenMs = 10_000;
const maxFailing = 4096;
/** Above this number of failing networks in a batch, those with one failure are not listed: a botnet's would displace all others. */
const manyNetworks = 128;

type Failing = Readonly<Record<FailureKind, Map<string, number>>>;

const newFailing = (): Failing => ({ counted: new Map(), repeated: new Map(), refused: new Map() });

function kindOf({ outcome, isRepeated }: DecisionNote): FailureKind {
  if (outcome === "blocked") return "refused";
  return isRepeated === true ? "repeated" : "counted";
}

function byNetwork(addresses: ReadonlyMap<string, number>): readonly (readonly [network: string, count: number])[] {
  const networks = new Map<string, number>();
  for (const [address, count] of addresses) {
    const network = knownNetworkOf(address);
    if (network !== undefined) networks.set(network, (networks.get(network) ?? 0) + count);
  }
  return networks.size <= manyNetworks ? [...networks] : [...networks].filter(([, count]) => count > 1);
}

/** Counts decisions by minute and outcome, and failures by network. */
export function createTraffic() {
  let counts = new Map<string, number>();
  let failing = newFailing();
  let minute = 0;
  let fields: Readonly<Record<string, string>> = {};
  let lastMs = 0;
  return {
    note: (note: DecisionNote): void => {
      const { timeMs, outcome, clientIp } = note;
      const now = Math.floor(timeMs / 60_000);
      if (now !== minute) {
        minute = now;
        fields = { ok: `${now}:ok`, denied: `${now}:denied`, blocked: `${now}:blocked`, undecided: `${now}:undecided` };
      }
      const field = fields[outcome] ?? "";
      counts.set(field, (counts.get(field) ?? 0) + 1);
      if (outcome !== "denied" && outcome !== "blocked") return;
      const addresses = failing[kindOf(note)];
      if (addresses.has(clientIp) || addresses.size < maxFailing)
        addresses.set(clientIp, (addresses.get(clientIp) ?? 0) + 1);
    },
    /** Empty until the counts are due. */
    take: (nowMs: number, isLast: boolean): Pick<DecisionBatch, "traffic" | "failingNetworks"> => {
      if (counts.size === 0 || (!isLast && nowMs - lastMs < takenMs)) return { traffic: [], failingNetworks: [] };
      lastMs = nowMs;
      const failingNetworks = failureKinds.flatMap((kind) =>
        byNetwork(failing[kind]).map(([network, count]) => [network, count, kind] as const),
      );
      const taken = { traffic: [...counts], failingNetworks };
      counts = new Map();
      failing = newFailing();
      return taken;
    },
  };
}

const hourMs = 3_600_000;
const referencesPerShard = 8192;
const networksPerHour = 1000;
/** A shard is trimmed after this number of references or this time, by this process. */
const trimAfter = 1024;
const trimMs = 3_600_000;

/** A failure, and the histories in which its record may be. */
export interface Referred {
  readonly note: DecisionNote;
  readonly places: readonly HistoryPlace[];
}

/** Successes are found by account; operators search by the references of failures. */
export function createReferenceWriter({ redis, keyPrefix, limits }: HistoryWriterOptions) {
  const trim = defineVariableScript(redis, { name: "noteReferences", lua: noteReferencesLua }, 1);
  const trimmed = new Map<string, { readonly atMs: number; added: number }>();
  const isTrimDue = (key: string, added: number, nowMs: number): boolean => {
    const last = trimmed.get(key);
    if (last !== undefined && last.added + added < trimAfter && nowMs - last.atMs < trimMs) {
      last.added += added;
      return false;
    }
    trimmed.set(key, { atMs: nowMs, added: 0 });
    return true;
  };
  return async (
    referred: readonly Referred[],
    networkOf: (address: string) => HistoryPlace,
    nowMs: number,
  ): Promise<void> => {
    const found = referred.filter(({ places }) => places.length > 0);
    const byKey = Map.groupBy(found, ({ note }) => referencesKeyOf(keyPrefix, shownReference(note.session)));
    await Promise.all(
      [...byKey].map(async ([key, members]) => {
        const args = members.flatMap(({ note, places }) => {
          const identity = identityOf(note, networkOf(note.clientIp));
          return [
            secondsOf(note.timeMs),
            `${shownReference(note.session)} ${places.map(writtenPlace).join()} ${identity}`,
          ];
        });
        if (!isTrimDue(key, members.length, nowMs))
          await Promise.all([redis.zadd(key, ...args), redis.expire(key, limits.lifeSeconds)]);
        else await trim([key], [secondsOf(nowMs), limits.lifeSeconds, referencesPerShard, ...args]);
      }),
    );
  };
}

export function createTrafficWriter({ redis, keyPrefix }: HistoryWriterOptions) {
  const run = defineVariableScript(redis, { name: "noteTraffic", lua: noteTrafficLua }, 1 + failureKinds.length);
  return async ({ traffic, failingNetworks }: DecisionBatch, nowMs: number): Promise<void> => {
    if (traffic.length === 0 && failingNetworks.length === 0) return;
    const hour = String(Math.floor(nowMs / hourMs));
    const keys = failureKinds.map((kind) => failingNetworksKey.build(keyPrefix, hour, kind));
    const networks = failingNetworks.flatMap(([network, count, kind]) => [
      failureKinds.indexOf(kind) + 1,
      network,
      count,
    ]);
    const head = [trafficKey.ttlSeconds, networksPerHour, traffic.length];
    await run([trafficKey.build(keyPrefix, hour), ...keys], [...head, ...traffic.flat(), ...networks]);
  };
}
