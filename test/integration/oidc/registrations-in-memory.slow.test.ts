import { spawnRedis } from "@postern/testing";
import { expect, test } from "vitest";
import { testRedis } from "../../support/redis-content.ts";
import { body, clock, network, replicaAt } from "./registration-replica.ts";

test("10,000 further registrations that are all in use leave the memory of a replica with the latest 10,000", async () => {
  await using server = await spawnRedis();
  const redis = await testRedis(server.port);
  clock.nowMs = Date.now();
  const { register, clients } = replicaAt(redis, { max_registrations: 20_000, per_minute: 20_000 });
  const ids: string[] = [];
  const oneMore = async (index: number): Promise<void> => {
    const answer = await register({ body, bearer: undefined, clientIp: network(index) });
    if (answer.outcome !== "registered") throw new Error(answer.outcome);
    await clients.load(answer.registration.id);
    ids.push(answer.registration.id);
  };
  for (let from = 0; from < 10_100; from += 100)
    await Promise.all(Array.from({ length: 100 }, (_, index) => oneMore(from + index)));
  const kept = ids.map((id) => clients.recent(id) !== undefined);
  expect(kept.filter((isKept) => isKept)).toHaveLength(10_000);
  expect(kept.slice(0, 100)).not.toContain(true);
  // A registration that is no longer in memory is still valid.
  expect((await clients.load(ids[0] ?? ""))?.id).toBe(ids[0]);
  redis.disconnect();
});
