import type { AuthRequest } from "@postern/shared/contracts";
import { Secret } from "@postern/shared/platform/crypto";
import { expect, test } from "vitest";
import type { Backend, VerifyOutcome } from "../backends/backend.ts";
import { attemptOf } from "../pipeline/attempt.ts";
import { stepDeps } from "../pipeline/testing/step-deps.ts";
import { decide, type Facts } from "../pipeline.ts";
import type { GuardedCache } from "./guarded-cache.ts";
import { MemoryCache } from "./memory-cache.ts";
import { createResultCaches, type ResultCaches } from "./result-caches.ts";
import { createPasswordDigest } from "./security-context.ts";
import type { SharedRead } from "./shared-cache.ts";

const request: AuthRequest = {
  session: "s",
  operation: "authenticate",
  dialect: "json",
  username: "alice",
  password: "pw",
  protocol: "imap",
  tls: false,
  memoryCache: true,
  sharedCache: true,
};

const ok: VerifyOutcome = {
  kind: "ok",
  account: {
    account: "alice@example.test",
    accountField: "mail",
    totpSecretField: "",
    attributes: { mail: ["a"] },
    groups: ["staff", "admins"],
  },
};

function backendNamed(name: string, outcome: VerifyOutcome): Backend {
  return {
    kind: "test",
    name,
    verify: async () => outcome,
    lookup: async () => ({ kind: "unknown_user" }),
    listAccounts: async () => ({ kind: "not_served" }),
    endListing: () => undefined,
    spendVerification: async () => undefined,
    check: async () => undefined,
    close: async () => undefined,
  };
}

/** Replaces the shared cache in Redis: it holds the result of one login. */
function onePlace(): GuardedCache {
  let kept: SharedRead["result"];
  return {
    read: async () => ({ result: kept, epochs: new Map(), generation: "" }),
    write: async (_key, { result }) => {
      kept = result;
      return "stored";
    },
  };
}

function engineCaches(shared: GuardedCache): ResultCaches {
  return createResultCaches({
    settings: () => ({
      context: { configuration: "c", usesClientPort: false },
      memoryEnabled: true,
      sharedBackends: new Set(["staff"]),
      sharedTtlMs: 1000,
      identityEnabled: false,
      identityTtlMs: 0,
    }),
    memory: new MemoryCache({ ttlMs: 1000, maxEntries: 9, maxBytes: 1e6 }, { now: () => 0 }),
    shared,
    passwordDigest: createPasswordDigest(new Secret("test-nonce")),
    observeRead: () => undefined,
    observeWrite: () => undefined,
  });
}

async function login(resultCaches: ResultCaches, backends: readonly Backend[]) {
  const facts: Facts = {};
  const context = { deadline: Number.MAX_SAFE_INTEGER, signal: new AbortController().signal, facts };
  const deps = stepDeps({ backends, resultCaches });
  const decision = await decide(attemptOf(request), context, deps);
  const { cache, accountHasSecondFactor, ...policyFacts } = facts;
  return {
    decision,
    servedFrom: cache?.servedFrom,
    policyFacts,
    hasSecondFactor: await accountHasSecondFactor?.(),
  };
}

test("policies receive the same facts for a cached success as for the backend's", async () => {
  const shared = onePlace();
  const [one, two] = [engineCaches(shared), engineCaches(shared)];
  const backends = [backendNamed("other", { kind: "unknown_user" }), backendNamed("staff", ok)];
  const fromBackend = await login(one, backends);
  const fromShared = await login(two, backends);
  const fromMemory = await login(two, backends);
  expect([fromBackend, fromShared, fromMemory].map(({ servedFrom }) => servedFrom)).toEqual([
    undefined,
    "shared",
    "memory",
  ]);
  expect(fromBackend).toMatchObject({
    policyFacts: { accountKnown: true, backendName: "staff", groups: ["staff", "admins"], credential: "password" },
    hasSecondFactor: false,
  });
  for (const { policyFacts, hasSecondFactor, decision } of [fromShared, fromMemory]) {
    expect([policyFacts, hasSecondFactor]).toEqual([fromBackend.policyFacts, fromBackend.hasSecondFactor]);
    expect(decision).toMatchObject({ outcome: "ok", groups: ["staff", "admins"] });
  }
});

test("a cached login queries the backend for second factors again, so that a new one counts", async () => {
  const caches = engineCaches(onePlace());
  const plain = backendNamed("staff", ok);
  expect(await login(caches, [plain])).toMatchObject({ hasSecondFactor: false });
  const mfa: Backend["mfa"] = {
    findAccount: () => Promise.reject(new Error("the backend is unavailable")),
    findHolders: async () => [],
    pretendAccount: async () => undefined,
  };
  await expect(login(caches, [{ ...plain, mfa }])).rejects.toThrow("the backend is unavailable");
});

test("a result of a backend that is no longer configured is a miss, and the next result replaces it", async () => {
  const caches = engineCaches(onePlace());
  await login(caches, [backendNamed("staff", ok)]);
  const moved = [backendNamed("moved", ok)];
  expect(await login(caches, moved)).toMatchObject({ servedFrom: undefined, policyFacts: { backendName: "moved" } });
  expect(await login(caches, moved)).toMatchObject({ servedFrom: "memory", policyFacts: { backendName: "moved" } });
});
