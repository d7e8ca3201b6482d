import { once } from "node:events";
import { pause, poll, type RedisCluster, type RedisServer, spawnRedisCluster } from "@postern/testing";
import { expect, test } from "vitest";
import { showFigures } from "./figures.ts";
import { type Host, startHost } from "./host.ts";
import { allReady, type RedisSite, startRedisSite } from "./redis-site.ts";

interface Platform extends AsyncDisposable {
  readonly redis: RedisCluster;
  readonly site: RedisSite;
  readonly host: Host | undefined;
}

/** The master that has the keys of the banned network gets its own host. `redis-cli` takes masters from both hosts in turn. */
async function startPlatform(withHost: boolean): Promise<Platform> {
  await using started = new AsyncDisposableStack();
  const host = withHost ? started.use(await startHost()) : undefined;
  const master = host && ({ index: 2, place: host, here: host.here } as const);
  const redis = started.use(await spawnRedisCluster({ replicas: 1, ...(master && { master }) }));
  const addresses = redis.addresses.map(({ host: address, port }) => `${address}:${port}`);
  const site = started.use(await startRedisSite({ cluster: { addresses } }));
  const owned = started.move();
  return { redis, site, host, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

const faults = {
  frozen: (master: RedisServer): Promise<unknown> => pause(master),
  killed: (master: RedisServer): Promise<unknown> => {
    master.signal("SIGKILL");
    return once(master.process, "exit");
  },
  "gone with its host": async (_master: RedisServer, host: Host | undefined): Promise<unknown> => host?.vanish(),
};

test.each(["frozen", "killed", "gone with its host"] as const)(
  "the master with the bans is %s under load: no wrong answer, bans hold, and all services follow the cluster",
  async (fault) => {
    await using platform = await startPlatform(fault === "gone with its host");
    const { redis, site, host } = platform;
    const key = `{${site.banTag}}`;
    const master = await redis.masterOf(key);
    if (host !== undefined) expect(master.port).toBe(redis.nodes[2]?.port);
    await poll("its replica", () => redis.hasReplica(master), 60_000);
    let [replacedAt, readyAt] = [0, 0];
    const { wrong, undecided } = await site.observe(async () => {
      await faults[fault](master, host);
      await poll("another master", async () => (await redis.masterOf(key)).port !== master.port, 60_000);
      replacedAt = performance.now();
      await allReady(site.all);
      readyAt = performance.now();
    });
    showFigures(`master of a cluster ${fault}`, {
      undecided: undecided.length,
      "all ready after the replacement, ms": readyAt - replacedAt,
      "last undecided after the replacement, ms": Math.max(...undecided.map(({ endedAt }) => endedAt)) - replacedAt,
    });
    expect(wrong).toEqual([]);
    await allReady(site.all);
  },
  300_000,
);
