import { accountWideKeys } from "@postern/shared/domain/brute-force";
import { systemClock } from "@postern/shared/platform/time";
import { spawnRedis } from "@postern/testing";
import { expect, test } from "vitest";
import { createAccountStore } from "../../../services/auth-engine/src/brute-force/account-store-redis.ts";
import { answered, connect, failureOf, readSettings, unguarded } from "./counting.ts";

const keyPrefix = "test:";

test("a Redis that is out of memory loses neither networks nor counts", async () => {
  const { accountDelay } = readSettings({ buckets: [], account_delay: { failures: 5 } });
  if (accountDelay === undefined) throw new Error("account delays are not enabled by default");
  await using server = await spawnRedis();
  const redis = await connect({ kind: "standalone", address: { host: "127.0.0.1", port: server.port } });
  const store = createAccountStore({ redis, keyPrefix, guard: unguarded, settings: accountDelay, clock: systemClock });
  const keys = accountWideKeys(keyPrefix, "grace");
  await store.noteNetwork("grace", "192.0.2.0/24");
  await store.count(failureOf("grace", "before"));

  await redis.config("SET", "maxmemory", "1");
  await expect(store.count(failureOf("grace", "full"))).rejects.toThrow(/OOM/u);
  // Redis runs a script without free memory if its first commands do not write.
  expect(await redis.exists(keys.known, keys.failures)).toBe(2);

  await redis.config("SET", "maxmemory", "0");
  expect(await store.knowsNetwork("grace", "192.0.2.0/24")).toBe(true);
  expect(await answered(store.count(failureOf("grace", "after")))).toMatchObject({
    failures: 2,
    isNew: true,
  });
  redis.disconnect();
});
