import { loadConfig } from "@postern/shared/platform/config";
import { expect, test } from "vitest";
import { bruteForceSettings } from "../brute-force-settings.ts";
import type { CountedAttempt } from "../shared-store.ts";
import { createTargets } from "../targets.ts";
import { noToleration, type Toleration } from "../toleration.ts";
import { createLocalStore } from "./local-store.ts";

const failedRequests = 5;
const buckets = [
  { name: "ipv4", period: "10m", ban_time: "1h", cidr: 24, failed_requests: failedRequests, ipv4: true },
];

function createSite() {
  const text = JSON.stringify({ auth: { controls: { brute_force: { buckets } } } });
  const loaded = loadConfig({ text, env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const settings = bruteForceSettings(loaded.config.auth.controls.brute_force);
  const targetOf = createTargets(settings, { ...settings, keyPrefix: "p:" });
  let now = 1_800_000_000_000;
  const store = createLocalStore({
    clock: { now: () => now },
    sharePercent: 100,
    repeatWindowMs: 600_000,
    maxForgiven: 3,
  });
  return {
    store,
    attempt: (username: string): CountedAttempt => {
      const { target } = targetOf({
        session: "7d3f",
        operation: "authenticate",
        dialect: "json",
        username,
        protocol: "imap",
        tls: true,
        memoryCache: true,
        sharedCache: true,
        password: undefined,
        clientIp: "192.0.2.1",
      });
      if (target === undefined) throw new Error("the attempt is not counted");
      return target;
    },
    pass: (ms: number): void => {
      now += ms;
    },
  };
}

/** Guesses one wrong password of account after account, each followed by the right one, until the network is banned. */
function accountsUntilBan(
  { store, attempt }: ReturnType<typeof createSite>,
  toleration: Toleration,
  accounts = 100,
): number {
  for (let index = 0; index < accounts; index += 1) {
    const target = attempt(`user${index}`);
    const { ban } = store.count(target, { digest: `wrong${index}`, known: true, toleration: noToleration });
    if (ban !== undefined) return index;
    store.succeed(target, `user${index}`, toleration);
  }
  return Number.POSITIVE_INFINITY;
}

test("successes of a network subtract at most as many wrong passwords in a window as it may fail", () => {
  expect(accountsUntilBan(createSite(), noToleration)).toBe(2 * failedRequests - 1);
});

test("what the network is tolerated for its accounts is added", () => {
  const until = accountsUntilBan(createSite(), { ...noToleration, minPercent: 20 });
  expect(until).toBeGreaterThan(2 * failedRequests - 1);
  expect(until).toBeLessThan(3 * failedRequests);
});

test("the next window subtracts anew", () => {
  const site = createSite();
  expect(accountsUntilBan(site, noToleration, failedRequests)).toBe(Number.POSITIVE_INFINITY);
  site.pass(600_000);
  expect(accountsUntilBan(site, noToleration)).toBe(2 * failedRequests - 1);
});
