import { hash } from "node:crypto";
import { failingNetworksKey, historyIndexKey, trafficKey } from "../../platform/redis/keys/history.ts";
import { defineVariableScript } from "../../platform/redis/script.ts";
import { type DecisionNote, type DecisionRun, type FailureKind, sealedPart } from "./decision-record.ts";
import type { DecisionBatch } from "./decision-recorder.ts";
import {
  accountPlace,
  type HistoryKind,
  type HistoryPlace,
  indexKeyOf,
  listKeyOf,
  listsOfShard,
  networkPlace,
  perShard,
  referencesKeyOf,
  refusedPlace,
  shownReference,
} from "./history-places.ts";
import noteDecisionsLua from "./scripts/note-decisions.lua?raw";
import noteReferencesLua from "./scripts/note-references.lua?raw";
import noteTrafficLua from "./scripts/note-traffic.lua?raw";
import { type HistoryStore, sealRecord } from "./store.ts";

const hourMs = 3_600_000;
/** More than the mailboxes of an office that one mistake bans. */
const namesPerNetwork = 256;
const maxNetworks = 4096;

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

export interface HistoryLimits {
  readonly lifeSeconds: number;
  readonly perAccount: number;
  readonly perNetwork: number;
  readonly maxAccounts: number;
  readonly maxNetworks: number;
}

type HistoryWriterOptions = HistoryStore & {
  readonly limits: HistoryLimits;
  /** Name of this process, in each record. */
  readonly instance: string;
};

/** Writes batches; resolves with the number of runs that could not be written. Never rejects. */
export type WriteHistory = (batch: DecisionBatch, nowMs: number) => Promise<number>;

interface Entry {
  readonly place: HistoryPlace;
  readonly mayCreate: boolean;
  readonly run: DecisionRun;
}

/** Redis does nothing else while a script runs. */
const entriesAtATime = 64;
/** Few enough that what a call is made of is garbage while it is young, and enough that none waits for another's way to Redis. */
const callsAtATime = 8;
/** A batch is written every second; records that a slow Redis does not accept in that time are lost. */
const batchWithinMs = 5000;
const referencesPerShard = 2048;
const maxRefusedNames = 65_536;
const recordsOfRefused = 4;
const networksPerHour = 1000;
/** Reply of the script. */
const almostFull = -1;

const secondsOf = (ms: number): number => Math.floor(ms / 1000);
const listOf = ({ outcome }: DecisionRun): "ok" | "other" => (outcome === "ok" ? "ok" : "other");

/** What a run has in common with those that continue it. */
function identityOf(note: DecisionNote): string {
  const { outcome, channel, account = `\n${note.username}`, clientIp, protocol, reason, rule, step, client } = note;
  const text = [outcome, channel, account, clientIp, protocol, reason, rule, step, client].join("\0");
  return hash("sha256", text, "base64url").slice(0, 11);
}

/**
 * A made-up name has no history, so that it cannot displace one. If nothing showed that the account exists, the decision
 * is added to the account's history only if there is one. Under a ban nothing shows it, so the name has a history of its own kind.
 */
function createEntriesOf() {
  const share = createRefusedShare();
  return (run: DecisionRun, nowMs: number): readonly Entry[] => {
    const { account = run.username } = run;
    const ofNetwork = { place: networkPlace(run.clientIp), mayCreate: true, run };
    if (account === "") return [ofNetwork];
    const ofAccount = { place: accountPlace(account), mayCreate: run.account !== undefined, run };
    if (run.account !== undefined || run.outcome !== "blocked") return [ofAccount, ofNetwork];
    const refused = refusedPlace(account);
    return share.admits(ofNetwork.place.digest, refused.digest, nowMs)
      ? [ofAccount, ofNetwork, { place: refused, mayCreate: true, run }]
      : [ofAccount, ofNetwork];
  };
}

/** Maximum of histories in a shard, and of records in a list. */
function boundsOf(kind: HistoryKind, limits: HistoryLimits): readonly [histories: number, records: number] {
  if (kind === "account") return [perShard(limits.maxAccounts), limits.perAccount];
  if (kind === "network") return [perShard(limits.maxNetworks), limits.perNetwork];
  return [perShard(maxRefusedNames), recordsOfRefused];
}

function createEntryWriter({ redis, keyPrefix, keys, limits, instance }: HistoryWriterOptions) {
  // On a cluster the client finds the slot by the first key, so the number of keys is fixed.
  const script = { name: "noteDecisions", lua: noteDecisionsLua };
  const run = defineVariableScript(redis, script, redis.isCluster ? 2 : undefined);
  const { lifeSeconds } = limits;
  return async (entries: readonly Entry[], nowMs: number): Promise<void> => {
    const [first] = entries;
    if (first === undefined) return;
    const redisKeys = [indexKeyOf(keyPrefix, first.place)];
    const args: (string | number | Buffer)[] = [
      secondsOf(nowMs),
      lifeSeconds,
      ...boundsOf(first.place.kind, limits),
      listsOfShard(keyPrefix, first.place),
    ];
    for (const { place, mayCreate, run: of } of entries) {
      const key = listKeyOf(keyPrefix, place, listOf(of));
      redisKeys.push(key);
      const sealed = sealRecord(keys, key, sealedPart(of, instance));
      const times = [secondsOf(of.firstMs), secondsOf(of.timeMs), of.count];
      args.push(place.digest, mayCreate ? 1 : 0, identityOf(of), ...times, `${of.session} ${sealed}`);
    }
    const written = await run(redisKeys, args.map(String));
    if (written === almostFull) throw new Error("Redis has little memory left");
  };
}

function chunksOf<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  const starts = Array.from({ length: Math.ceil(items.length / size) }, (_, index) => index * size);
  return starts.map((start) => items.slice(start, start + size));
}

/** Successes are found by account; operators search by the references of failures. */
function createReferenceWriter({ redis, keyPrefix, limits }: HistoryWriterOptions) {
  const run = defineVariableScript(redis, { name: "noteReferences", lua: noteReferencesLua }, 1);
  return async (referred: readonly DecisionNote[], nowMs: number): Promise<void> => {
    const byKey = Map.groupBy(referred, ({ session }) => referencesKeyOf(keyPrefix, shownReference(session)));
    const head = [secondsOf(nowMs), limits.lifeSeconds, referencesPerShard];
    await Promise.all(
      [...byKey].map(async ([key, members]) => {
        const places = members.flatMap((one) => {
          const { digest } = networkPlace(one.clientIp);
          return [secondsOf(one.timeMs), `${shownReference(one.session)} ${digest} ${identityOf(one)}`];
        });
        await run([key], [...head, ...places]);
      }),
    );
  };
}

function createTrafficWriter({ redis, keyPrefix }: HistoryWriterOptions) {
  const run = defineVariableScript(redis, { name: "noteTraffic", lua: noteTrafficLua }, 2);
  return async ({ traffic, failingNetworks }: DecisionBatch, nowMs: number): Promise<void> => {
    const hour = String(Math.floor(nowMs / hourMs));
    const write = async (kind: FailureKind, minutes: DecisionBatch["traffic"]): Promise<void> => {
      const networks = failingNetworks.filter((one) => one[2] === kind).map(([network, count]) => [network, count]);
      if (minutes.length === 0 && networks.length === 0) return;
      const keys = [trafficKey.build(keyPrefix, hour), failingNetworksKey.build(keyPrefix, hour, kind)];
      const head = [trafficKey.ttlSeconds, networksPerHour, minutes.length];
      await run(keys, [...head, ...minutes.flat(), ...networks.flat()]);
    };
    await Promise.all([write("counted", traffic), write("repeated", []), write("refused", [])]);
  };
}

type Call = readonly Entry[];

/** The calls that failed, or were not begun in time. */
async function failedOf(calls: readonly Call[], write: (call: Call) => Promise<void>): Promise<readonly Call[]> {
  const failed: Call[] = [];
  const waiting = calls.values();
  const until = performance.now() + batchWithinMs;
  const lane = async (): Promise<void> => {
    for (const call of waiting) {
      if (performance.now() > until) failed.push(call);
      else await write(call).catch(() => failed.push(call));
    }
  };
  await Promise.all(Array.from({ length: callsAtATime }, lane));
  return failed;
}

export function createHistoryWriter(deps: HistoryWriterOptions): WriteHistory {
  const writeEntries = createEntryWriter(deps);
  const writeReferences = createReferenceWriter(deps);
  const writeTraffic = createTrafficWriter(deps);
  const entriesOf = createEntriesOf();
  const size = deps.redis.isCluster ? 1 : entriesAtATime;
  return async (batch, nowMs) => {
    const entries = batch.runs.flatMap((run) => entriesOf(run, nowMs));
    const shards = Map.groupBy(entries, ({ place }) => historyIndexKey.build("", place.kind, place.shard));
    const calls = [...shards.values()].flatMap((ofShard) => chunksOf(ofShard, size));
    const [lost] = await Promise.all([
      failedOf(calls, (call) => writeEntries(call, nowMs)),
      Promise.allSettled([writeReferences(batch.referred, nowMs), writeTraffic(batch, nowMs)]),
    ]);
    return new Set(lost.flat().map(({ run }) => run)).size;
  };
}
