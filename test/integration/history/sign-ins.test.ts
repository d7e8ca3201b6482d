import { createDecisionHistory, type DecisionHistory, type RecordedDecision } from "@postern/shared/domain/history";
import { createKeyRing, Secret } from "@postern/shared/platform/crypto";
import type { RedisClient } from "@postern/shared/platform/redis";
import { poll } from "@postern/testing";
import { expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { createBrowser } from "../../support/browser.ts";
import { testRedis } from "../../support/redis-content.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { totpCode } from "../../support/totp-code.ts";
import { follow } from "../idp/authorization.ts";
import { startIdpStack } from "../idp/idp-stack.ts";

const enabled = { observability: { decision_history: { enabled: true } } };
const keyPrefix = "postern:";

interface Store extends AsyncDisposable {
  readonly redis: RedisClient;
  readonly history: DecisionHistory;
}

/** The history as admin reads it. */
async function openStore(stack: Pick<Stack, "redis">): Promise<Store> {
  const redis = await testRedis(stack.redis?.port ?? 0);
  const keys = createKeyRing([new Secret("test-encryption-secret")], "decision-history");
  const lives = { lifeMs: 604_800_000, countsMs: 604_800_000 };
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

test("SIGTERM: an engine writes the repetitions that it has counted, which are otherwise written after a minute", async () => {
  await using stack = await startStack({ shape: "five", redis: true, settings: enabled });
  await using store = await openStore(stack);
  for (let index = 0; index < 5; index += 1) expect((await askJson(stack.url, alice)).status).toBe(200);
  expect((await askJson(stack.url, { ...alice, password: "wrong" })).status).toBe(403);
  expect(await stack.engines[0]?.stop()).toBe(0);
  const records = await store.history.ofAccount(alice.username);
  // Both ended in the same second, which is what the order goes by.
  expect(new Set(records.map(shown))).toEqual(
    new Set([
      ["denied", "", "wrong_password", 1],
      ["ok", "", "", 5],
    ]),
  );
});

test("second factors of the sign-in pages are recorded beside the password, and SIGTERM writes the last ones", async () => {
  await using idp = await startIdpStack(enabled, { shape: "five" });
  await using store = await openStore(idp.stack);
  const browser = createBrowser(idp.replicas, "192.0.2.7");
  const bob = { username: "bob@example.test", password: "bob-demo-password" };
  const choice = await follow(browser, await browser.submit(await browser.open("/mfa/register/home"), bob));
  const codePage = await browser.open(choice.url.replace("/login/mfa", "/login/totp"));
  const refused = await browser.submit(codePage, { code: "000000" });
  await browser.submit(refused, { code: totpCode("JBSWY3DPEHPK3PXP") });
  for (const service of [idp.first, idp.second, ...idp.stack.engines]) expect(await service.stop()).toBe(0);
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

test("while the history is off, neither engines nor the identity provider write any of it", async () => {
  await using idp = await startIdpStack({}, { shape: "five" });
  await using store = await openStore(idp.stack);
  const browser = createBrowser(idp.replicas, "192.0.2.7");
  const bob = { username: "bob@example.test", password: "bob-demo-password" };
  const choice = await follow(browser, await browser.submit(await browser.open("/mfa/register/home"), bob));
  const codePage = await browser.open(choice.url.replace("/login/mfa", "/login/totp"));
  expect((await browser.submit(codePage, { code: "000000" })).text).toContain('name="code"');
  expect((await askJson(idp.stack.url, { ...alice, password: "wrong" })).status).toBe(403);
  for (const service of [idp.first, idp.second, ...idp.stack.engines]) expect(await service.stop()).toBe(0);
  const keys = await store.redis.keys(`${keyPrefix}*`);
  expect(keys.length).toBeGreaterThan(0);
  expect(keys.filter((key) => key.includes("history:"))).toEqual([]);
});

test("names that guessers invent do not displace the history of an account", async () => {
  const limits = { enabled: true, max_accounts: 100, max_networks: 100 };
  await using stack = await startStack({
    shape: "five",
    redis: true,
    settings: { observability: { decision_history: limits } },
  });
  await using store = await openStore(stack);
  expect((await askJson(stack.url, alice)).status).toBe(200);
  await poll("alice's record", async () => (await store.history.ofAccount(alice.username)).length === 1);
  for (let round = 0; round < 3; round += 1) {
    const names = Array.from({ length: 50 }, (_, index) => `guess-${round}-${index}@example.test`);
    await Promise.all(
      names.map((username, index) => askJson(stack.url, { ...alice, username, client_ip: `10.${round}.${index}.1` })),
    );
  }
  expect(await stack.engines[0]?.stop()).toBe(0);
  expect(await store.history.ofAccount("guess-2-7@example.test")).toEqual([]);
  expect((await store.history.ofAccount(alice.username)).map(shown)).toEqual([["ok", "", "", 1]]);
});
