import { keyRingFromConfig } from "@postern/shared/assembly";
import { type RegionAppliers, type RegionEvent, RegionLog, regionLogPurpose } from "@postern/shared/domain/regions";
import { type Config, loadConfig } from "@postern/shared/platform/config";
import { createLogger } from "@postern/shared/platform/logging";
import { createMetrics } from "@postern/shared/platform/metrics";
import { type RedisClient, watchRedisClock } from "@postern/shared/platform/redis";
import { freePort, type NatsServer, type RedisServer, spawnNats, spawnRedis } from "@postern/testing";
import { type RunningRegions, startRegions } from "../../../services/jobs-worker/src/regions/context.ts";
import { type LinkProxy, startLinkProxy } from "../../support/link-proxy.ts";
import { blockingRedis, testRedis } from "../../support/redis-content.ts";
import { merged, type Tree } from "../../support/stack-config.ts";

export const keyPrefix = "postern:";
const secret = "a-secret-that-all-regions-have";

/** A region's own state for tests of the exchange: what arrived, and what a snapshot and a feed tell. */
export interface TestAppliers extends RegionAppliers {
  /** Identifiers of the bans that arrived, in order, and how old they were. */
  readonly arrived: { readonly id: string; readonly ageMs: number; readonly region: string; readonly atMs: number }[];
  readonly items: unknown[];
  /** What a snapshot and the feed of this region contain. */
  readonly state: RegionEvent[];
  readonly counts: unknown[];
  /** Called before an event is applied. */
  before: (event: RegionEvent) => Promise<void>;
}

const pageSize = 2;

function createTestAppliers(): TestAppliers {
  const appliers: TestAppliers = {
    arrived: [],
    items: [],
    state: [],
    counts: [],
    before: async () => undefined,
    apply: async (event, { region, ageMs }) => {
      await appliers.before(event);
      if (event.kind === "ban") appliers.arrived.push({ id: event.id, ageMs, region, atMs: Date.now() });
    },
    snapshot: async (from = "0") => {
      const end = Number(from) + pageSize;
      const next = end < appliers.state.length ? String(end) : undefined;
      return { events: appliers.state.slice(Number(from), end), next };
    },
    feeds: [
      {
        name: "counts",
        everyMs: 50,
        read: async (from = "0") => ({
          items: appliers.counts.slice(Number(from)),
          next: String(appliers.counts.length),
          isLast: true,
        }),
        apply: async (_region, items) => {
          appliers.items.push(...items.filter((item) => typeof item === "number"));
          return items.filter((item) => typeof item !== "number").length;
        },
      },
    ],
  };
  return appliers;
}

export interface TestRegion {
  readonly name: string;
  readonly redisServer: RedisServer;
  readonly redis: RedisClient;
  readonly nats: NatsServer;
  readonly config: Config;
  readonly log: RegionLog;
  readonly appliers: TestAppliers;
  /** Starts a worker of this region; several share the lease. */
  startWorker(appliers?: RegionAppliers): Promise<RunningRegions & { metrics(): Promise<string> }>;
}

export interface RegionPair {
  readonly east: TestRegion;
  readonly west: TestRegion;
  /** Between the NATS of west, a leaf node, and that of east. */
  readonly link: LinkProxy;
}

function configOf(tree: Tree): Config {
  const loaded = loadConfig({ text: JSON.stringify(tree), env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config;
}

export const ban = (id: string): RegionEvent & { kind: "ban" } => ({
  kind: "ban",
  id,
  network: "192.0.2.0/24",
  rule: "wide",
  remainingMs: 600_000,
});

const logger = createLogger({ service: "jobs-worker", instance: "test", level: "error" }).logger;

async function startRegion(
  owned: AsyncDisposableStack,
  { name, peers, nats, settings = {} }: { name: string; peers: readonly string[]; nats: NatsServer; settings?: Tree },
): Promise<TestRegion> {
  const redisServer = owned.use(await spawnRedis());
  const redis = await testRedis(redisServer.port);
  owned.defer(() => redis.disconnect());
  const tree = {
    runtime: { bus: { servers: [nats.url], namespace: name }, regions: { name, peers } },
    storage: { redis: { encryption_secret: secret } },
  };
  const config = configOf(merged(tree, settings));
  const keys = keyRingFromConfig(config, regionLogPurpose);
  if (keys === undefined) throw new Error("there is no secret");
  const appliers = createTestAppliers();
  const log = new RegionLog({ redis, keyPrefix, keys });
  const clock = watchRedisClock(redis);
  let workers = 0;
  return {
    name,
    redisServer,
    redis,
    nats,
    config,
    log,
    appliers,
    startWorker: async (own = appliers) => {
      workers += 1;
      const blocking = blockingRedis(redisServer.port);
      const metrics = createMetrics(undefined, false);
      const parts = { redis, blocking, clock, log, logger, metrics, metricsPrefix: "service", appliers: own };
      const running = await startRegions(config, { ...parts, instance: `${name}-${workers}` });
      if (running === undefined) throw new Error("no regions are configured");
      let stopped: Promise<void> | undefined;
      const stopOnce = (): Promise<void> => (stopped ??= running.stop());
      owned.defer(stopOnce);
      return { ...running, stop: stopOnce, metrics: () => metrics.expose() };
    },
  };
}

/** Lost servers are noticed as early as in the files of deploy/nats. */
const natsOptions = 'ping_interval: "1s"\nping_max: 2\nwrite_deadline: "2s"\n';

/** Two regions, each with a Redis and a NATS of its own. */
export async function startRegionPair(owned: AsyncDisposableStack, ofWest: Tree = {}): Promise<RegionPair> {
  const hubPort = await freePort();
  const link = owned.use(await startLinkProxy(hubPort));
  // Otherwise the leaf node learns the hub's own address, and connects past the link.
  const leafnodes = `leafnodes { listen: "127.0.0.1:${hubPort}", advertise: "127.0.0.1:${link.port}" }`;
  const natsOfEast = owned.use(await spawnNats({ config: `server_name: east\n${natsOptions}${leafnodes}` }));
  const remotes = `leafnodes { reconnect: 1, remotes: [{ url: "nats-leaf://127.0.0.1:${link.port}" }] }`;
  const natsOfWest = owned.use(await spawnNats({ config: `server_name: west\n${natsOptions}${remotes}` }));
  const east = await startRegion(owned, { name: "east", peers: ["west"], nats: natsOfEast });
  const west = await startRegion(owned, { name: "west", peers: ["east"], nats: natsOfWest, settings: ofWest });
  return { east, west, link };
}
