import { connect } from "node:net";
import { spawnRedis } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTcpServer, type TcpServer } from "../../support/tcp-server.ts";
import { type RedisSite, startRedisSite } from "./redis-site.ts";

const rounds = 3;
/** Longer than a decision waits for Redis, and shorter than `storage.redis.write_timeout`. */
const slowMs = 1000;
const owned = new AsyncDisposableStack();
let site: RedisSite;

/** A way to Redis on which each connection begins slowly, so that a new engine is without Redis for a second. */
function startSlowBeginnings(port: number): Promise<TcpServer> {
  return startTcpServer((near) => {
    const far = connect({ port, host: "127.0.0.1" });
    far.on("error", () => near.destroy());
    far.on("close", () => near.destroy());
    near.on("close", () => far.destroy());
    setTimeout(() => near.pipe(far).pipe(near), slowMs);
  });
}

beforeAll(async () => {
  const redis = owned.use(await spawnRedis());
  const slow = owned.use(await startSlowBeginnings(redis.port));
  site = owned.use(await startRedisSite({ primary: { address: `127.0.0.1:${slow.port}` } }, { engines: 3 }));
}, 180_000);

afterAll(() => owned.disposeAsync());

test("three engines are replaced one by one under load, three times: no banned network is admitted, and no request fails", async () => {
  const { stack } = site.oidc;
  const { wrong, undecided } = await site.observe(async () => {
    for (let round = 0; round < rounds; round += 1) {
      for (const engine of stack.engines.slice(-3)) {
        await stack.startEngine();
        expect(await engine.stop()).toBe(0);
      }
    }
  });
  expect({ wrong, undecided }).toEqual({ wrong: [], undecided: [] });
}, 300_000);
