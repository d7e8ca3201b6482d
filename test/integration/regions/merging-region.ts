import { flushSettings, keyRingFromConfig } from "@postern/shared/assembly";
import { accountWideKeys, createRegionalFlush, foldedName } from "@postern/shared/domain/brute-force";
import { type RegionEvent, RegionLog, readRegionEvent, regionLogPurpose } from "@postern/shared/domain/regions";
import { Suspensions } from "@postern/shared/domain/suspensions";
import { createRevoker } from "@postern/shared/domain/tokens";
import { loadConfig } from "@postern/shared/platform/config";
import { createRedisClock, type RedisClient } from "@postern/shared/platform/redis";
import { steadyClock, systemClock } from "@postern/shared/platform/time";
import { createAccountStore } from "../../../services/auth-engine/src/brute-force/account-store-redis.ts";
import { createLogReader } from "../../../services/jobs-worker/src/regions/exchange/log-reader.ts";
import { createRegionAppliers } from "../../../services/jobs-worker/src/regions/merge/context.ts";
import {
  answered,
  bruteForceOfTests,
  createCounting,
  createPromptMarks,
  failureOf,
  readSettings,
  unguarded,
} from "../brute-force/counting.ts";

const delayedFrom = 5;
const bruteForce = { ...bruteForceOfTests, account_delay: { failures: delayedFrom, known_for: "1h", max_delay: "5s" } };
const accountDelay = readSettings(bruteForce).accountDelay;

/** A message from one region to the others: an event, or an item of its feed of counts. */
export type Message = { readonly event: RegionEvent; readonly ageMs: number } | { readonly item: unknown };

function configOf(name: string, peers: readonly string[], prefix: string) {
  const tree = {
    runtime: { regions: { name, peers, bus: { servers: ["nats://127.0.0.1:1"] } } },
    storage: { redis: { encryption_secret: "a-secret-of-all-regions", prefix } },
    auth: { controls: { brute_force: bruteForce } },
  };
  const loaded = loadConfig({ text: JSON.stringify(tree), env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config;
}

const noReply = async (): Promise<never> => Promise.reject(new Error("no service replies"));

/** What one region writes and merges, with its own prefix of keys in a Redis. Its messages are delivered by the test. */
export async function createMergingRegion(redis: RedisClient, name: string, peers: readonly string[]) {
  const prefix = `${name}:`;
  const config = configOf(name, peers, prefix);
  const keys = keyRingFromConfig(config, regionLogPurpose);
  if (keys === undefined || accountDelay === undefined) throw new Error("the configuration lacks a part");
  const log = new RegionLog({ redis, keyPrefix: prefix, keys });
  const own = { name, log };
  const clock = createRedisClock({ redis, steadyClock, wallClock: systemClock });
  await clock.measure();
  const marks = createPromptMarks(redis, prefix);
  const counting = createCounting(redis, { keyPrefix: prefix, own, marks });
  const accounts = createAccountStore({
    redis,
    keyPrefix: prefix,
    guard: unguarded,
    settings: accountDelay,
    clock,
    marks,
  });
  const bus = { publish: () => true, subscribe: () => ({ unsubscribe: () => undefined }), request: noReply };
  const suspensions = new Suspensions({
    redis,
    keyPrefix: prefix,
    bus,
    clock,
    onRead: () => undefined,
    onUnread: () => undefined,
    onStale: () => undefined,
    onRestored: () => undefined,
    region: own,
  });
  const appliers = createRegionAppliers({
    state: redis,
    cache: redis,
    keyPrefix: prefix,
    bus,
    live: { current: flushSettings(config) },
    clock,
    region: own,
  });
  const reader = createLogReader({ redis, keyPrefix: prefix, keys, log, clock });
  const head = await reader.read(undefined);
  const start = "gone" in head ? head.gone : head.next;
  const [feed] = appliers.feeds;
  if (feed === undefined) throw new Error("there is no feed");
  const counted: Message[] = [];
  return {
    name,
    prefix,
    counting,
    suspensions,
    appliers,
    revoker: createRevoker(redis, prefix, clock, log),
    regionalFlush: createRegionalFlush(redis, prefix, own),
    settled: marks.written,
    /** Counts a wrong password of an account over all networks. Returns the failures of all regions. */
    failAccount: async (user: string, password: string): Promise<number> =>
      (await answered(accounts.count(failureOf(foldedName(user), password, "192.0.2.0/24", prefix)))).failures,
    /** The account signs in from a network. */
    signIn: async (user: string, network: string): Promise<void> => {
      await answered(accounts.noteNetwork(user, network));
      accounts.shareNetworks([user]);
    },
    knowsNetwork: (user: string, network: string) => answered(accounts.knowsNetwork(user, network)),
    /** What engines read before a decision. */
    delayedFailures: async (user: string): Promise<number> =>
      Number((await redis.get(accountWideKeys(prefix, user).delayed)) ?? 0),
    /** Everything that this region has told until now. Counts that have changed since are among it. */
    messages: async (): Promise<readonly Message[]> => {
      await marks.written();
      const read = await reader.read(start);
      if ("gone" in read) throw new Error("the log was lost");
      const events = read.entries.map(([ageMs, value]) => {
        const event = readRegionEvent(value);
        if (typeof event === "string") throw new Error(`${event}: ${JSON.stringify(value)}`);
        return { event, ageMs };
      });
      const { items } = await feed.read(undefined);
      counted.push(...items.map((item) => ({ item })));
      return [...events, ...counted];
    },
    receive: async (from: string, message: Message): Promise<void> => {
      if ("event" in message) await appliers.apply(message.event, { region: from, ageMs: message.ageMs });
      else if ((await feed.apply(from, [message.item])) > 0)
        throw new Error(`not understood: ${JSON.stringify(message.item)}`);
    },
  };
}

export type MergingRegion = Awaited<ReturnType<typeof createMergingRegion>>;
