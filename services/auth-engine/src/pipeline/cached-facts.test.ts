import type { AuthRequest } from "@postern/shared/contracts";
import { Secret } from "@postern/shared/crypto";
import { expect, test } from "vitest";
import type { Directory, VerifyOutcome } from "../directories/directory.ts";
import type { GuardedCache } from "../result-cache/guarded-cache.ts";
import { createMemoryCache } from "../result-cache/memory-cache.ts";
import { createPasswordDigest } from "../result-cache/password-digest.ts";
import { createResultCaches, type ResultCaches } from "../result-cache/result-caches.ts";
import type { SharedLook } from "../result-cache/shared-cache.ts";
import { attemptOf } from "./attempt.ts";
import type { Facts } from "./facts.ts";
import { decide } from "./pipeline.ts";

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

function directoryNamed(name: string, outcome: VerifyOutcome): Directory {
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

/** What all engines share, without Redis: one place for the one login of these tests. */
function onePlace(): GuardedCache {
  let kept: SharedLook["result"];
  return {
    read: async () => ({ result: kept, epochs: new Map(), generation: "" }),
    write: async (_question, { result }) => {
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
      sharedDirectories: new Set(["staff"]),
      sharedTtlMs: 1000,
      identityEnabled: false,
      identityTtlMs: 0,
    }),
    memory: createMemoryCache({ ttlMs: 1000, maxEntries: 9, maxBytes: 1e6 }, { clock: { now: () => 0 } }),
    shared,
    passwordDigest: createPasswordDigest(new Secret("test-nonce")),
    observeRead: () => undefined,
    observeWrite: () => undefined,
  });
}

async function login(resultCaches: ResultCaches, directories: readonly Directory[]) {
  const facts: Facts = {};
  const context = { deadline: Number.MAX_SAFE_INTEGER, signal: new AbortController().signal, facts };
  const deps = { directories, checkMailToken: undefined, resultCaches, bruteForce: undefined };
  const decision = await decide(attemptOf(request), context, deps);
  const { cache, accountHasSecondFactor, ...told } = facts;
  return { decision, servedFrom: cache?.servedFrom, told, hasSecondFactor: await accountHasSecondFactor?.() };
}

test("policies hear of a cached success what they heard of the directory's", async () => {
  const shared = onePlace();
  const [one, two] = [engineCaches(shared), engineCaches(shared)];
  const directories = [directoryNamed("other", { kind: "unknown_user" }), directoryNamed("staff", ok)];
  const asked = await login(one, directories);
  const fromShared = await login(two, directories);
  const fromMemory = await login(two, directories);
  expect([asked, fromShared, fromMemory].map(({ servedFrom }) => servedFrom)).toEqual([undefined, "shared", "memory"]);
  expect(asked).toMatchObject({
    told: { accountKnown: true, directory: "staff", groups: ["staff", "admins"], credential: "password" },
    hasSecondFactor: false,
  });
  for (const { told, hasSecondFactor, decision } of [fromShared, fromMemory]) {
    expect([told, hasSecondFactor]).toEqual([asked.told, asked.hasSecondFactor]);
    expect(decision).toMatchObject({ outcome: "ok", groups: ["staff", "admins"] });
  }
});

test("the second factor is asked of the directory anew, so that one that was added counts for a cached login", async () => {
  const caches = engineCaches(onePlace());
  const plain = directoryNamed("staff", ok);
  expect(await login(caches, [plain])).toMatchObject({ hasSecondFactor: false });
  const mfa: Directory["mfa"] = {
    find: () => Promise.reject(new Error("the directory is away")),
  };
  await expect(login(caches, [{ ...plain, mfa }])).rejects.toThrow("the directory is away");
});

test("what a directory said that is in use no more is a miss, and the next answer takes its place", async () => {
  const caches = engineCaches(onePlace());
  await login(caches, [directoryNamed("staff", ok)]);
  const moved = [directoryNamed("moved", ok)];
  expect(await login(caches, moved)).toMatchObject({ servedFrom: undefined, told: { directory: "moved" } });
  expect(await login(caches, moved)).toMatchObject({ servedFrom: "memory", told: { directory: "moved" } });
});
