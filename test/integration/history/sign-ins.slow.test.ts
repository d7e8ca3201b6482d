import { createDecisionHistory, type DecisionHistory, type RecordedDecision } from "@postern/shared/domain/history";
import { createKeyRing, Secret } from "@postern/shared/platform/crypto";
import type { RedisClient } from "@postern/shared/platform/redis";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { type Browser, createBrowser, type Page } from "../../support/browser.ts";
import { testRedis } from "../../support/redis-content.ts";
import type { Stack } from "../../support/stack.ts";
import { totpCode } from "../../support/totp-code.ts";
import { follow } from "../idp/authorization.ts";
import { type IdpStack, startIdpStack } from "../idp/idp-stack.ts";

const keyPrefix = "postern:";

interface Store extends AsyncDisposable {
  readonly redis: RedisClient;
  readonly history: DecisionHistory;
}

/** The history as admin reads it. */
async function openStore(stack: Pick<Stack, "redis">): Promise<Store> {
  const redis = await testRedis(stack.redis?.port ?? 0);
  const keys = createKeyRing([new Secret("test-encryption-secret")], "decision-history");
  const lives = { lifeMs: 604_800_000, countsMs: 604_800_000, recordsOfOne: 50 };
  const history = createDecisionHistory({ redis, keyPrefix, keys, ...lives, nowMs: () => Date.now() });
  return {
    redis,
    history,
    [Symbol.asyncDispose]: async () => {
      redis.disconnect();
    },
  };
}

const shown = ({ outcome, step, reason, count }: RecordedDecision) => [outcome, step, reason, count];

const bob = { username: "bob@example.test", password: "bob-demo-password" };
const carol = { ...alice, username: "carol@example.test", password: "carol-demo-password" };

/** Signs in with bob's password, and opens the page for the code. */
async function openCodePage(browser: Browser): Promise<Page> {
  const choice = await follow(browser, await browser.submit(await browser.open("/mfa/register/home"), bob));
  return browser.open(choice.url.replace("/login/mfa", "/login/totp"));
}

/** What alice, bob and carol do, and then guessers. */
async function useAccounts({ stack: { url }, replicas }: IdpStack, { history }: Store): Promise<void> {
  for (let index = 0; index < 5; index += 1) expect((await askJson(url, alice)).status).toBe(200);
  expect((await askJson(url, { ...alice, password: "wrong" })).status).toBe(403);
  const browser = createBrowser(replicas, "192.0.2.7");
  const refused = await browser.submit(await openCodePage(browser), { code: "000000" });
  await browser.submit(refused, { code: totpCode("JBSWY3DPEHPK3PXP") });
  expect((await askJson(url, carol)).status).toBe(200);
  await poll("carol's record", async () => (await history.ofAccount(carol.username)).length === 1);
  for (let round = 0; round < 3; round += 1) {
    const names = Array.from({ length: 50 }, (_, index) => `guess-${round}-${index}@example.test`);
    await Promise.all(
      names.map((username, index) => askJson(url, { ...alice, username, client_ip: `10.${round}.${index}.1` })),
    );
  }
}

/** Ends the engine and the identity providers with SIGTERM. */
async function stopWriters({ stack, first, second }: IdpStack): Promise<void> {
  for (const service of [first, second, ...stack.engines]) expect(await service.stop()).toBe(0);
}

describe("while the history is on", () => {
  let idp: IdpStack;
  let store: Store;

  beforeAll(async () => {
    const limits = { enabled: true, max_accounts: 100, max_networks: 100 };
    idp = await startIdpStack({ observability: { decision_history: limits } }, { shape: "five" });
    store = await openStore(idp.stack);
    await useAccounts(idp, store);
    await stopWriters(idp);
  });

  afterAll(async () => {
    await store[Symbol.asyncDispose]();
    await idp[Symbol.asyncDispose]();
  });

  test("SIGTERM: an engine writes the repetitions that it has counted, which are otherwise written after a minute", async () => {
    // Both ended in the same second, which is what the order goes by.
    expect(new Set((await store.history.ofAccount(alice.username)).map(shown))).toEqual(
      new Set([
        ["denied", "", "wrong_password", 1],
        ["ok", "", "", 5],
      ]),
    );
  });

  test("second factors of the sign-in pages are recorded beside the password, and SIGTERM writes the last ones", async () => {
    const records = await store.history.ofAccount(bob.username);
    expect(records.map(shown)).toEqual(
      expect.arrayContaining([
        ["ok", "password", "", 1],
        ["denied", "totp", "wrong_code", 1],
        ["ok", "totp", "", 1],
      ]),
    );
    expect(new Set(records.map(({ channel, clientIp }) => `${channel} ${clientIp}`))).toEqual(
      new Set(["browser 192.0.2.7"]),
    );
    expect(await store.history.ofNetwork("192.0.2.0")).toHaveLength(records.length);
  });

  test("names that guessers invent do not displace the history of an account", async () => {
    expect(await store.history.ofAccount("guess-2-7@example.test")).toEqual([]);
    expect((await store.history.ofAccount(carol.username)).map(shown)).toEqual([["ok", "", "", 1]]);
  });
});

test("while the history is off, neither engines nor the identity provider write any of it", async () => {
  await using idp = await startIdpStack();
  await using store = await openStore(idp.stack);
  const browser = createBrowser(idp.replicas, "192.0.2.7");
  expect((await browser.submit(await openCodePage(browser), { code: "000000" })).text).toContain('name="code"');
  expect((await askJson(idp.stack.url, { ...alice, password: "wrong" })).status).toBe(403);
  expect(await idp.stack.gateway.stop()).toBe(0);
  const keys = await store.redis.keys(`${keyPrefix}*`);
  expect(keys.length).toBeGreaterThan(0);
  expect(keys.filter((key) => key.includes("history:"))).toEqual([]);
});
