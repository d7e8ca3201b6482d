import { once } from "node:events";
import { poll, type RedisSentinel, spawnRedisSentinel } from "@postern/testing";
import { expect, test } from "vitest";
import { showFigures } from "./figures.ts";
import { type Host, startHost } from "./host.ts";
import { allReady, type RedisSite, startRedisSite } from "./redis-site.ts";

interface Platform extends AsyncDisposable {
  readonly redis: RedisSentinel;
  readonly site: RedisSite;
  /** The host of the primary, if it has one for itself. */
  readonly host: Host | undefined;
}

async function startPlatform(withHost: boolean): Promise<Platform> {
  await using started = new AsyncDisposableStack();
  const host = withHost ? started.use(await startHost()) : undefined;
  const redis = started.use(
    await spawnRedisSentinel(host === undefined ? {} : { primary: { place: host, here: host.here } }),
  );
  const { host: address, port } = redis.address;
  const site = started.use(
    await startRedisSite({ sentinels: { master: redis.master, addresses: [`${address}:${port}`] } }),
  );
  const owned = started.move();
  return { redis, site, host, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

const faults = {
  "is killed": async ({ redis: { first } }: Platform): Promise<unknown> => {
    first.signal("SIGKILL");
    return once(first.process, "exit");
  },
  "is frozen": async ({ redis: { first } }: Platform): Promise<unknown> => first.signal("SIGSTOP"),
  "and its host are gone": async ({ host }: Platform): Promise<unknown> => host?.vanish(),
};

test.each(["is killed", "is frozen", "and its host are gone"] as const)(
  "the primary %s under load: no wrong answer, bans hold, and all services follow Sentinel",
  async (fault) => {
    await using platform = await startPlatform(fault === "and its host are gone");
    const { redis, site } = platform;
    let [wordAt, readyAt] = [0, 0];
    const { wrong, undecided } = await site.observe(async () => {
      await faults[fault](platform);
      await poll("Sentinel's word", async () => (await redis.primaryPort()) === redis.second.port, 60_000);
      wordAt = performance.now();
      await allReady(site.all);
      readyAt = performance.now();
    });
    showFigures(`primary ${fault}`, {
      undecided: undecided.length,
      "all ready after Sentinel's word, ms": readyAt - wordAt,
      "last undecided after Sentinel's word, ms": Math.max(...undecided.map(({ endedAt }) => endedAt)) - wordAt,
    });
    expect(wrong).toEqual([]);
    expect(undecided.length).toBeGreaterThan(0);
    await allReady(site.all);
  },
  300_000,
);
