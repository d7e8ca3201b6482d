import { createHotCache } from "../../platform/cache/hot-cache.ts";
import { historyIndexKey } from "../../platform/redis/keys/history.ts";
import { chunksOf, defineScript, defineVariableScript } from "../../platform/redis/script.ts";
import { createEntries, type Entry, type Member } from "./decision-entries.ts";
import { type DecisionBatch, type DecisionRun, sealedPart } from "./decision-record.ts";
import {
  accountsKeyOf,
  type HistoryKind,
  type HistoryPlace,
  identityOf,
  indexKeyOf,
  listKeyOf,
  listsOfShard,
  perShard,
  shownReference,
  writtenPlace,
} from "./history-places.ts";
import { createMemoryWatch } from "./memory-watch.ts";
import noteDecisionsLua from "./scripts/note-decisions.lua?raw";
import trimHistoriesLua from "./scripts/trim-histories.lua?raw";
import { type HistoryLimits, type HistoryWriterOptions, sealRecord, secondsOf } from "./store.ts";
import { createReferenceWriter, createTrafficWriter } from "./write-references.ts";

/** Writes batches; resolves with the number of runs that could not be written. Never rejects. */
export type WriteHistory = (batch: DecisionBatch, nowMs: number) => Promise<number>;

/** Redis does nothing else while a script runs. */
const entriesAtATime = 128;
const membersAtATime = 256;
/** A batch is written every second; records that a slow Redis does not accept in that time are lost. */
const batchWithinMs = 5000;
const maxRefusedNames = 65_536;
const recordsOfRefused = 4;
/** Successes after a failure, as a part of the records of an account. */
const firstShare = 4;
const daySeconds = 86_400;
const prolongMs = 21_600_000;
const maxProlonged = 16_384;

type Argument = string | number;

/** Without a cluster one call writes to all shards. */
function callsOf<Item>(
  items: readonly Item[],
  placeOf: (item: Item) => HistoryPlace,
  isCluster: boolean,
): readonly (readonly Item[])[] {
  if (!isCluster) return chunksOf(items, entriesAtATime);
  const shards = Map.groupBy(items, (item) => historyIndexKey.build("", placeOf(item).kind, placeOf(item).shard));
  return [...shards.values()].flatMap((ofShard) => chunksOf(ofShard, entriesAtATime));
}

/** Maximum of records in a list. */
function maxRecords({ place, list }: Pick<Entry, "place" | "list">, { perAccount, perNetwork }: HistoryLimits): number {
  if (place.kind === "network") return perNetwork;
  if (place.kind === "refused") return recordsOfRefused;
  return list === "first" ? Math.ceil(perAccount / firstShare) : perAccount;
}

/** The largest number of records in a history. */
export function mostRecordsOfOne({ perAccount, perNetwork }: Pick<HistoryLimits, "perAccount" | "perNetwork">): number {
  return Math.max(2 * perAccount + Math.ceil(perAccount / firstShare), perNetwork, recordsOfRefused);
}

interface MembersOfNetwork extends Pick<Member, "network" | "list"> {
  readonly members: readonly Member[];
}

/** Members of one set together, in parts that Lua can pass on. */
function byNetwork(members: readonly Member[]): readonly MembersOfNetwork[] {
  const groups = Map.groupBy(members, ({ network, list }) => `${network.digest}${list}`);
  return [...groups.values()].flatMap((group) =>
    chunksOf(group, membersAtATime).flatMap((part) => {
      const [first] = part;
      return first === undefined ? [] : [{ network: first.network, list: first.list, members: part }];
    }),
  );
}

const times = ({ firstMs, timeMs, count }: DecisionRun) => [secondsOf(firstMs), secondsOf(timeMs), count] as const;

/** Makes the arguments of `note-decisions.lua`. */
function createArguments({ keyPrefix, keys, limits, instance }: HistoryWriterOptions) {
  const { lifeSeconds, countsSeconds, perNetwork } = limits;
  const prolonged = createHotCache<number>(maxProlonged);
  /** Negative if this process prolonged the list recently. */
  const lifeOf = (key: string, atMs: number): number => {
    if (atMs - (prolonged.get(key) ?? Number.NEGATIVE_INFINITY) < prolongMs) return -lifeSeconds;
    prolonged.set(key, atMs);
    return lifeSeconds;
  };
  return {
    ofEntry: (entry: Entry): readonly Argument[] => {
      const { run, action, place, list, network } = entry;
      const key = listKeyOf(keyPrefix, place, list);
      const isCounted = action === "count";
      // Counts are of all processes, and pages show the first two groups of a reference.
      const sealed = sealRecord(keys, key, sealedPart(run, isCounted ? "" : instance));
      const reference = isCounted ? shownReference(run.session) : run.session;
      const life = isCounted ? countsSeconds : lifeOf(key, run.timeMs);
      const head = [action, key, indexKeyOf(keyPrefix, place), place.digest, life, maxRecords(entry, limits)] as const;
      return [...head, identityOf(run, network), ...times(run), reference, sealed];
    },
    ofMembers: ({ network, list, members }: MembersOfNetwork): readonly Argument[] => {
      const life = list === "ok" ? countsSeconds : lifeSeconds;
      const key = accountsKeyOf(keyPrefix, network, list);
      const head = ["members", key, indexKeyOf(keyPrefix, network), network.digest, life, perNetwork] as const;
      const latestMs = Math.max(...members.map(({ timeMs }) => timeMs));
      const words = members.map(({ of, timeMs }) => `${secondsOf(timeMs)} ${writtenPlace(of)}`);
      return [...head, words.join(" "), 0, secondsOf(latestMs), 0, "", ""];
    },
  };
}

/** Removes histories where many were begun or prolonged. */
function createTrim({ redis, keyPrefix, limits }: HistoryWriterOptions) {
  const run = defineScript(redis, {
    name: "trimHistories",
    lua: trimHistoriesLua,
    keys: ["indexKey"],
    args: ["nowSeconds", "lifeSeconds", "maxHistories", "start"],
  });
  const { lifeSeconds, countsSeconds, maxAccounts, maxNetworks } = limits;
  const largest: Readonly<Record<HistoryKind, number>> = {
    account: perShard(maxAccounts),
    network: perShard(maxNetworks),
    refused: perShard(maxRefusedNames),
  };
  const touched = new Map<string, { readonly place: HistoryPlace; count: number }>();
  return {
    note: (place: HistoryPlace): void => {
      const key = `${place.kind}${place.shard}`;
      const known = touched.get(key);
      if (known === undefined) touched.set(key, { place, count: 1 });
      else known.count += 1;
    },
    run: async (nowMs: number): Promise<void> => {
      const life = Math.max(lifeSeconds, countsSeconds) + daySeconds;
      for (const [key, { place, count }] of touched) {
        const maxHistories = largest[place.kind];
        if (count < Math.max(1, maxHistories / 16)) continue;
        touched.delete(key);
        const start = listsOfShard(keyPrefix, place);
        const indexKey = indexKeyOf(keyPrefix, place);
        await run({ indexKey }, { nowSeconds: secondsOf(nowMs), lifeSeconds: life, maxHistories, start });
      }
    },
  };
}

/** Writes entries and members; resolves with the entries that could not be written. */
function createEntryWriter(deps: HistoryWriterOptions, entries: ReturnType<typeof createEntries>) {
  const { redis, limits } = deps;
  const run = defineVariableScript(redis, { name: "noteDecisions", lua: noteDecisionsLua }, 1);
  const { ofEntry, ofMembers } = createArguments(deps);
  const trim = createTrim(deps);
  const days = Math.max(1, Math.ceil(limits.countsSeconds / daySeconds));
  const send = async <Item>(items: readonly Item[], of: (item: Item) => readonly Argument[]): Promise<string> => {
    const args = items.map(of);
    // The index of the first one names the slot of all.
    return String(await run([String(args[0]?.[2])], [days, ...args.flat()]));
  };
  const writeEntries = async (call: readonly Entry[]): Promise<{ alone: Entry[]; members: Member[] }> => {
    const replies = await send(call, ofEntry);
    const [alone, members]: [Entry[], Member[]] = [[], []];
    call.forEach((entry, index) => {
      const reply = replies[index];
      if (reply === "2") trim.note(entry.place);
      if (reply === "0") alone.push(...[entries.underNetwork(entry)].filter((one) => one !== undefined));
      else if (entry.action !== "count") members.push(...(entry.member === undefined ? [] : [entry.member]));
      else if (reply === "2") members.push(entries.memberOfSuccess(entry));
    });
    return { alone, members };
  };
  const writeMembers = async (members: readonly Member[]): Promise<void> => {
    for (const call of callsOf(byNetwork(members), ({ network }) => network, redis.isCluster)) {
      await send(call, ofMembers);
      for (const { network } of call) trim.note(network);
    }
  };
  return async (all: readonly Entry[], nowMs: number): Promise<readonly Entry[]> => {
    const until = performance.now() + batchWithinMs;
    const lost: Entry[] = [];
    const members: Member[] = [];
    const writeAll = async (of: readonly Entry[]): Promise<readonly Entry[]> => {
      const alone: Entry[] = [];
      for (const call of callsOf(of, ({ place }) => place, redis.isCluster)) {
        const written = performance.now() > until ? undefined : await writeEntries(call).catch(() => undefined);
        if (written === undefined) lost.push(...call);
        alone.push(...(written?.alone ?? []));
        members.push(...(written?.members ?? []));
      }
      return alone;
    };
    await writeAll(await writeAll(all));
    await writeMembers(members)
      .then(() => trim.run(nowMs))
      .catch(() => undefined);
    return lost;
  };
}

export function createHistoryWriter(deps: HistoryWriterOptions): WriteHistory {
  const entries = createEntries();
  const write = createEntryWriter(deps, entries);
  const writeReferences = createReferenceWriter(deps);
  const writeTraffic = createTrafficWriter(deps);
  const isMemoryShort = createMemoryWatch(deps.redis);
  return async (batch, nowMs) => {
    const { runs, referred } = batch;
    if (await isMemoryShort()) return runs.length;
    const written = entries.of(runs, nowMs);
    const places = referred.map((note) => ({ note, places: entries.placesOf(note, nowMs) }));
    const [lost] = await Promise.all([
      write(written, nowMs),
      Promise.allSettled([writeReferences(places, entries.networkOf, nowMs), writeTraffic(batch, nowMs)]),
    ]);
    return lost.length;
  };
}
