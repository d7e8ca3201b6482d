import type { AuthRequest, Ok } from "@postern/shared/contracts";
import { expect, test } from "vitest";
import { attemptOf } from "../pipeline/attempt.ts";
import type { GuardedCache, WriteOutcome } from "./guarded-cache.ts";
import { MemoryCache } from "./memory-cache.ts";
import type { ResultCacheSettings } from "./result-caches.ts";
import { createResultCaches } from "./result-caches.ts";
import { createPasswordDigest } from "./security-context.ts";
import type { SharedRead } from "./shared-cache.ts";

const settings: ResultCacheSettings = {
  context: { configuration: "c", usesClientPort: false },
  memoryEnabled: true,
  sharedBackends: new Set(["ldap"]),
  sharedTtlMs: 1000,
  identityEnabled: true,
  identityTtlMs: 500,
};

const request: AuthRequest = {
  session: "s",
  operation: "authenticate",
  dialect: "json",
  username: "al",
  password: "pw",
  protocol: "imap",
  tls: false,
  memoryCache: true,
  sharedCache: true,
};

const ok: Ok = {
  outcome: "ok",
  account: "alice",
  accountField: "uid",
  totpSecretField: "",
  backend: 2,
  attributes: {},
  memoryCache: "miss",
};

const nothing: SharedRead = { result: undefined, epochs: new Map(), generation: "" };

function start(change: Partial<ResultCacheSettings> = {}, outcome: WriteOutcome = "stored") {
  const written: { family: string; ttlMs: number }[] = [];
  const shared: GuardedCache = {
    read: async () => nothing,
    write: async ({ family }, { ttlMs }) => {
      written.push({ family, ttlMs });
      return outcome;
    },
  };
  const memory = new MemoryCache({ ttlMs: 1000, maxEntries: 9, maxBytes: 1e6 }, { now: () => 0 });
  const caches = createResultCaches({
    settings: () => ({ ...settings, ...change }),
    memory,
    shared,
    passwordDigest: createPasswordDigest(undefined),
    observeRead: () => undefined,
    observeWrite: () => undefined,
  });
  /** Passes one decision through the caches. Without a cached result, `backendName` supplies `decision`. */
  const decide = async (over: Partial<AuthRequest> = {}, backendName = "ldap", decision = ok): Promise<Ok> => {
    const attempt = attemptOf({ ...request, ...over });
    const facts = caches.begin(attempt);
    if (facts === undefined) return decision;
    const cached = caches.readMemory(attempt, facts) ?? (await caches.readShared(attempt, facts));
    await caches.write(attempt, cached ?? { decision, backendName }, facts);
    return cached?.decision ?? decision;
  };
  return { decide, memory, written };
}

test("a repeated login is a hit; another password is a miss and, if correct, replaces the entry", async () => {
  const { decide } = start();
  expect((await decide()).memoryCache).toBe("miss");
  expect((await decide()).memoryCache).toBe("hit");
  expect((await decide({ password: "new" })).memoryCache).toBe("miss");
  expect((await decide({ password: "new" })).memoryCache).toBe("hit");
  expect((await decide()).memoryCache).toBe("miss");
});

test("only results of backends after `cache` in the order are shared, and only lookups in LDAP", async () => {
  const { decide, written } = start();
  await decide({}, "sql", { ...ok, backend: 8 });
  expect(written).toEqual([]);
  await decide({ password: "other" });
  expect(written).toEqual([{ family: "result", ttlMs: 1000 }]);
  await decide({ operation: "lookup" }, "sql", { ...ok, backend: 8 });
  expect(written).toHaveLength(1);
  await decide({ operation: "lookup" });
  expect(written.at(-1)).toEqual({ family: "identity", ttlMs: 500 });
});

test("a lookup is never stored in memory", async () => {
  const { decide, memory } = start();
  await decide({ operation: "lookup" });
  expect(memory.entries).toBe(0);
});

test("in-memory=0 and cache=0 neither read nor write their cache", async () => {
  const { decide, memory, written } = start();
  await decide({ memoryCache: false });
  expect([memory.entries, written.length]).toEqual([0, 1]);
  await decide({ sharedCache: false });
  expect([memory.entries, written.length]).toEqual([1, 1]);
  await decide({ memoryCache: false, sharedCache: false });
  expect([memory.entries, written.length]).toEqual([1, 1]);
});

test("a result from before a flush is not stored", async () => {
  const { decide, memory } = start({}, "stale");
  await decide();
  expect(memory.entries).toBe(0);
});

test("memory keeps a verified result while the shared cache is unavailable", async () => {
  const { decide, memory } = start({}, "error");
  await decide();
  expect(memory.entries).toBe(1);
});
