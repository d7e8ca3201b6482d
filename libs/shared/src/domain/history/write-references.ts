import { failingNetworksKey, trafficKey } from "../../platform/redis/keys/history.ts";
import { defineVariableScript } from "../../platform/redis/script.ts";
import { type DecisionBatch, type DecisionNote, failureKinds } from "./decision-record.ts";
import { type HistoryPlace, identityOf, referencesKeyOf, shownReference, writtenPlace } from "./history-places.ts";
import noteReferencesLua from "./scripts/note-references.lua?raw";
import noteTrafficLua from "./scripts/note-traffic.lua?raw";
import { type HistoryWriterOptions, secondsOf } from "./store.ts";

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
