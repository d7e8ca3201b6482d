import type { Ban } from "@postern/shared/domain/brute-force";
import { loadConfig } from "@postern/shared/platform/config";
import { expect, test } from "vitest";
import type { Attempt } from "../pipeline/attempt.ts";
import { bruteForceSettings } from "./brute-force-settings.ts";
import { createBruteForce } from "./create-brute-force.ts";
import { createLocalStore } from "./fallback/local-store.ts";
import { createTargets } from "./targets.ts";

const buckets = [{ name: "net", period: "10m", ban_time: "1h", cidr: 24, failed_requests: 10, ipv4: true }];
const loaded = loadConfig({
  text: JSON.stringify({ auth: { controls: { brute_force: { buckets, account_delay: { enabled: false } } } } }),
  env: {},
  readFile: () => "",
});
if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
const settings = bruteForceSettings(loaded.config.auth.controls.brute_force);
const minuteMs = 60_000;
const attempt: Attempt = {
  session: "s",
  operation: "authenticate",
  dialect: "json",
  username: "alice",
  password: undefined,
  tls: true,
  protocol: "imap",
  clientIp: "192.0.2.7",
  memoryCache: true,
  sharedCache: true,
};

function createProtection() {
  const calls: string[] = [];
  const state = { nowMs: 0, isAvailable: true, pending: false, ban: undefined as Ban | undefined };
  const clock = { now: () => state.nowMs };
  // Not at the beginning of a window.
  state.nowMs = 1000 * settings.tolerateMs + minuteMs;
  const protection = createBruteForce({
    settings,
    targetOf: createTargets(settings, { ...settings, keyPrefix: "t:" }),
    scopesOf: () => [],
    shared: {
      check: async () => {
        calls.push("check");
        return state.isAvailable ? { ban: state.ban, pending: state.pending, accountFailures: 0 } : undefined;
      },
      count: async () => undefined,
      keep: () => undefined,
      forget: () => undefined,
      succeed: async () => {
        calls.push("succeed");
        state.pending = false;
        return state.isAvailable ? { ban: state.ban } : undefined;
      },
    },
    local: createLocalStore({ clock, sharePercent: 50, repeatWindowMs: minuteMs, maxForgiven: 3 }),
    accountDelays: undefined,
    guard: { run: (ask) => ask(), isUnavailable: false },
    clock,
    deadlineClock: clock,
    digest: (username, password) => `${username} ${password}`,
    index: async () => undefined,
    remember: async () => undefined,
    events: { blocked: () => undefined, failed: () => undefined, banned: () => undefined, degraded: () => undefined },
  });
  const signIn = async (one: Attempt = attempt, whileItIsVerified: () => void = () => undefined) => {
    const facts = await protection.check(one);
    if (facts === undefined) throw new Error("the attempt is not counted");
    whileItIsVerified();
    calls.length = 0;
    await protection.recordSuccess(one.username, facts);
    return { calls: [...calls], rule: facts.rule };
  };
  return { state, protection, signIn };
}

test("a success is recorded in full once; after that the ban is read again", async () => {
  const { signIn } = createProtection();
  expect(await signIn()).toEqual({ calls: ["succeed"], rule: undefined });
  expect(await signIn()).toEqual({ calls: ["check"], rule: undefined });
});

test.each<Partial<Attempt>>([{ username: "bob" }, { clientIp: "192.0.2.8" }])(
  "another account or address is recorded in full: %j",
  async (other) => {
    const { signIn } = createProtection();
    await signIn();
    expect((await signIn({ ...attempt, ...other })).calls).toEqual(["succeed"]);
  },
);

test("it is recorded in full again after 15 minutes, in another window of tolerate_ttl, and after a flush", async () => {
  const { state, protection, signIn } = createProtection();
  await signIn();
  state.nowMs += 15 * minuteMs;
  expect((await signIn()).calls).toEqual(["succeed"]);
  protection.flush({ addresses: [], rules: [] });
  expect((await signIn()).calls).toEqual(["succeed"]);
  state.nowMs = 1001 * settings.tolerateMs - minuteMs;
  await signIn();
  state.nowMs += 2 * minuteMs;
  expect((await signIn()).calls).toEqual(["succeed"]);
});

test("failures before it are subtracted, whether they were counted before the check or while the password was verified", async () => {
  const { state, signIn } = createProtection();
  await signIn();
  state.pending = true;
  expect((await signIn()).calls).toEqual(["succeed"]);
  const counted = await signIn(attempt, () => {
    state.pending = true;
  });
  expect(counted.calls).toEqual(["check", "succeed"]);
});

test("a ban that began while the password was verified refuses it", async () => {
  const { state, signIn } = createProtection();
  await signIn();
  const banned = await signIn(attempt, () => {
    state.ban = { rule: "net", network: "192.0.2.0/24", bannedAtMs: state.nowMs, expiresAtMs: state.nowMs + minuteMs };
  });
  expect(banned).toEqual({ calls: ["check"], rule: "net" });
});

test("after an outage of Redis, which may have lost it, it is recorded in full again", async () => {
  const { state, signIn } = createProtection();
  await signIn();
  await signIn(attempt, () => {
    state.isAvailable = false;
  });
  state.isAvailable = true;
  expect((await signIn()).calls).toEqual(["succeed"]);
});
