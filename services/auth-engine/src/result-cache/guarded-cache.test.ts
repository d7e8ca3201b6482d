import { createCircuitBreaker } from "@postern/shared/platform/concurrency";
import { expect, test } from "vitest";
import { createGuardedCache } from "./guarded-cache.ts";
import type { SharedRead } from "./shared-cache.ts";

const key = { family: "result", username: "alice", context: "c" } as const;
const empty: SharedRead = { result: undefined, epochs: new Map(), generation: "" };

/** A guarded cache whose reads return what the test supplies. */
function start(read: () => Promise<SharedRead>) {
  const time = { now: 0 };
  const reads = { times: 0 };
  const errors: unknown[] = [];
  const breaker = createCircuitBreaker(
    { failureThreshold: 2, cooldownMs: 1000, halfOpenMax: 1 },
    { now: () => time.now },
  );
  const ask = (): Promise<SharedRead> => {
    reads.times += 1;
    return read();
  };
  const cache = createGuardedCache(
    { read: ask, write: () => Promise.reject(new Error("away")) },
    10,
    breaker,
    (error) => void errors.push(error),
  );
  return { cache, time, reads, errors };
}

test("a cache that hangs delays the first few reads, and afterwards only one trial at a time", async () => {
  const { cache, time, reads, errors } = start(() => Promise.withResolvers<SharedRead>().promise);
  expect(await cache.read(key)).toBe("error");
  expect(await cache.read(key)).toBe("error");
  expect(await cache.read(key)).toBe("skipped");
  expect(reads.times).toBe(2);
  time.now += 1000;
  expect(await Promise.all([cache.read(key), cache.read(key)])).toEqual(["error", "skipped"]);
  expect(errors).toHaveLength(3);
});

test("a cache that is available again is used again", async () => {
  let isAway = true;
  const { cache, time } = start(() => (isAway ? Promise.reject(new Error("away")) : Promise.resolve(empty)));
  await cache.read(key);
  await cache.read(key);
  isAway = false;
  expect(await cache.read(key)).toBe("skipped");
  time.now += 1000;
  expect(await cache.read(key)).toBe(empty);
  expect(await cache.read(key)).toBe(empty);
});

test("a write that fails is reported as an error and does not throw", async () => {
  const { cache } = start(() => Promise.resolve(empty));
  const decision = {
    outcome: "ok",
    account: "alice",
    accountField: "",
    totpSecretField: "",
    backend: 8,
    attributes: {},
    memoryCache: "miss",
  } as const;
  const write = { result: { digest: Buffer.alloc(0), decision, backendName: "sql" }, read: empty, ttlMs: 1000 };
  expect(await cache.write(key, write)).toBe("error");
});
