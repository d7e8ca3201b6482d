import { factorLockKeys } from "@postern/shared/domain/factor-locks";
import type { RedisClient } from "@postern/shared/platform/redis";
import { poll } from "@postern/shared/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { type Browser, createBrowser, type Page } from "../../support/browser.ts";
import { testRedis } from "../../support/redis-content.ts";
import { totpCode } from "../../support/totp-code.ts";
import { callback, follow, issuer, passwordStep, publicClient } from "./authorization.ts";
import { type IdpStack, startIdpStack } from "./idp-stack.ts";

const bob = "bob@example.test";
const bobsSecret = "JBSWY3DPEHPK3PXP";
const maxAttempts = 4;
const maxFailures = 12;

let idp: IdpStack;
let redis: RedisClient;

beforeAll(async () => {
  const clients = [
    publicClient("plain", { supported_mfa: ["totp"] }),
    publicClient("delayed", { supported_mfa: ["totp"], delayed_response: true }),
    publicClient("recovery", { supported_mfa: ["recovery"] }),
    publicClient("delayed-recovery", { supported_mfa: ["recovery"], delayed_response: true }),
  ];
  idp = await startIdpStack({
    identity: {
      oidc: { enabled: true, issuer, clients },
      mfa: { totp: { max_attempts: maxAttempts, max_failures: maxFailures } },
    },
  });
  await idp.stack.start("admin");
  if (idp.stack.redis === undefined) throw new Error("no Redis");
  redis = await testRedis(idp.stack.redis.port);
});

afterAll(async () => {
  redis.disconnect();
  await idp[Symbol.asyncDispose]();
});

/** As ten minutes and more time steps would. */
beforeEach(async () => {
  const keys = await redis.keys("*factor:*");
  await Promise.all(keys.map((key) => redis.del(key)));
});

const keysOfBob = async (method: "totp" | "recovery" = "totp") => {
  const [keyPrefix = ""] = (await redis.keys("*session:*"))[0]?.split("session:") ?? [];
  return factorLockKeys(keyPrefix, bob, method);
};

const output = (): string => idp.first.output() + idp.second.output();

/** Notices of a kind since a time; lines of earlier tests may still be on their way. */
const notificationsSince = (event: string, time: string): number =>
  output()
    .split("\n")
    .filter((line) => line.includes(`"event":"${event}"`) && (/"time":"([^"]+)"/.exec(line)?.[1] ?? "") >= time).length;

const unlock = () => askAdmin(idp.stack, "DELETE", "/api/v1/mfa-backchannel/lock", { body: { username: "alias" } });

/** A new browser at bob's second factor. */
async function atFactor(clientId: string, password: string): Promise<{ browser: Browser; page: Page }> {
  const browser = createBrowser(idp.replicas);
  const page = await passwordStep(browser, clientId, { username: bob, password });
  return { browser, page };
}

const right = "bob-demo-password";

const sentences = {
  denied: "This code is incorrect or was already used",
  throttled: "Too many attempts",
  locked: "This method is locked",
} as const;

/** What the page says of a code. */
function saidOf(page: Page): string {
  if (page.location !== undefined) return "moved";
  const said = Object.entries(sentences).filter(([, sentence]) => page.text.includes(sentence));
  return said.map(([name]) => name).join();
}

async function wrongCodes({ browser, page }: { browser: Browser; page: Page }, count: number): Promise<string[]> {
  const said: string[] = [];
  for (let index = 0; index < count; index += 1) said.push(saidOf(await browser.submit(page, { code: "000000" })));
  return said;
}

async function signsIn(): Promise<boolean> {
  const { browser, page } = await atFactor("plain", right);
  const done = await follow(browser, await browser.submit(page, { code: totpCode(bobsSecret) }));
  return done.location?.startsWith(`${callback}?code=`) === true;
}

/** Wrong codes after the correct password, with enough time in between. */
async function fail(count: number): Promise<void> {
  for (let done = 0; done < count; done += maxAttempts) {
    const { attempts } = await keysOfBob();
    await redis.del(attempts);
    const said = await wrongCodes(await atFactor("plain", right), Math.min(maxAttempts, count - done));
    expect(new Set(said)).toEqual(new Set(["denied"]));
  }
}

describe("a stranger without the password", () => {
  test("cannot use up the account's attempts, however many codes it tries in however many flows", async () => {
    const flows = await Promise.all(["one", "two", "three", "four"].map((wrong) => atFactor("delayed", wrong)));
    const said = await Promise.all(flows.map((flow) => wrongCodes(flow, maxAttempts + 1)));
    for (const one of said) expect(one).toEqual([...Array.from({ length: maxAttempts }, () => "denied"), "throttled"]);
    expect(await signsIn()).toBe(true);
  });

  test("is told the same of each code, whether the password before it was right or not", async () => {
    const flows = await Promise.all([right, "wrong"].map((password) => atFactor("delayed", password)));
    const [ofRight, ofWrong] = await Promise.all(flows.map((flow) => wrongCodes(flow, maxAttempts + 2)));
    expect(ofWrong).toEqual(ofRight);
  });

  test("does not learn from other flows either that the password was right: the account's bound is not shown", async () => {
    // Whoever knows the password has used up the account's attempts.
    expect((await wrongCodes(await atFactor("plain", right), maxAttempts + 1)).at(-1)).toBe("throttled");
    const flows = await Promise.all([right, "wrong"].map((password) => atFactor("delayed", password)));
    const [ofRight, ofWrong] = await Promise.all(flows.map((flow) => wrongCodes(flow, maxAttempts + 1)));
    expect(ofRight).toEqual(ofWrong);
    expect(ofRight?.[0]).toBe("denied");
    // Nor is a correct code taken there while the account waits.
    const { browser, page } = await atFactor("delayed", right);
    expect(saidOf(await browser.submit(page, { code: totpCode(bobsSecret) }))).toBe("denied");
  });
});

describe("whoever holds the password and not the code", () => {
  test("locks that factor after so many consecutive wrong codes, and the owner is told before and then", async () => {
    const start = new Date().toISOString();
    await fail(maxFailures);
    const { browser, page } = await atFactor("plain", right);
    expect(saidOf(await browser.submit(page, { code: totpCode(bobsSecret) }))).toBe("locked");
    await poll(
      "the notices",
      () => notificationsSince("factor_guessed", start) === 3 && notificationsSince("factor_locked", start) === 1,
    );
    await poll("the audit line", () => output().includes('"event":"second_factor.lock"'));

    // Another factor of the account still works.
    const other = await atFactor("recovery", right);
    await follow(other.browser, await other.browser.submit(other.page, { code: "BOBS-2345" }));
    expect(other.browser.cookies.has("service_session")).toBe(true);
    expect(await signsIn()).toBe(false);

    const unlocked = await askAdmin(idp.stack, "DELETE", "/api/v1/mfa-backchannel/lock", { body: { username: bob } });
    expect([unlocked.status, unlocked.body]).toEqual([200, { status: "ok", wrong_codes: { totp: maxFailures } }]);
    expect(await signsIn()).toBe(true);
  });

  test("an unlocking that found nothing while no engine could say whose name it is, is no success", async () => {
    for (const engine of idp.stack.engines) engine.signal("SIGSTOP");
    try {
      expect((await unlock()).status).toBe(500);
    } finally {
      for (const engine of idp.stack.engines) engine.signal("SIGCONT");
    }
    await poll("the engines to answer", async () => (await unlock()).status === 200);
  });

  test("a correct code in between begins the count anew; wrong codes of strangers never move it", async () => {
    await fail(maxFailures - 1);
    await wrongCodes(await atFactor("delayed", "wrong"), maxAttempts);
    const { failures, attempts } = await keysOfBob();
    expect(await redis.get(failures)).toBe(String(maxFailures - 1));
    await redis.del(attempts);
    expect(await signsIn()).toBe(true);
    expect(await redis.get(failures)).toBeNull();
  });

  test("codes that come at the same time through two replicas are all counted", async () => {
    const flows = await Promise.all(Array.from({ length: 3 }, () => atFactor("plain", right)));
    const said = (await Promise.all(flows.map((flow) => wrongCodes(flow, maxAttempts)))).flat();
    expect(said.filter((one) => one === "denied")).toHaveLength(maxAttempts);
    expect(said.filter((one) => one === "throttled")).toHaveLength(2 * maxAttempts);
    const { failures } = await keysOfBob();
    expect(await redis.get(failures)).toBe(String(maxAttempts));
  });

  test("a code that nobody could judge is not counted as wrong", async () => {
    const factor = await atFactor("plain", right);
    const { failures } = await keysOfBob();
    for (const engine of idp.stack.engines) engine.signal("SIGSTOP");
    const answer = await factor.browser.submit(factor.page, { code: "000000" });
    for (const engine of idp.stack.engines) engine.signal("SIGCONT");
    expect(answer.status).toBe(500);
    expect(Number((await redis.get(failures)) ?? "0")).toBe(0);
  });
});

describe("an application with `delayed_response`", () => {
  test("does not use up a recovery code that it refuses because the account waits or is locked", async () => {
    const { attempts } = await keysOfBob("recovery");
    expect((await wrongCodes(await atFactor("recovery", right), maxAttempts + 1)).at(-1)).toBe("throttled");
    const waiting = await atFactor("delayed-recovery", right);
    expect(saidOf(await waiting.browser.submit(waiting.page, { code: "BOBS-6789" }))).toBe("denied");
    await redis.del(attempts);
    const { browser, page } = await atFactor("recovery", right);
    await follow(browser, await browser.submit(page, { code: "BOBS-6789" }));
    expect(browser.cookies.has("service_session")).toBe(true);
  });

  test("says in the log whether the factor was locked or waited, and on the page neither", async () => {
    const { attempts, failures } = await keysOfBob();
    await redis.set(failures, String(maxFailures), "EX", 600);
    const locked = await atFactor("delayed", right);
    const before = output().split('"reason":"factor_locked"').length;
    expect(saidOf(await locked.browser.submit(locked.page, { code: "000000" }))).toBe("denied");
    await poll("the lines", () => output().split('"reason":"factor_locked"').length >= before + 2);
    await redis.del(failures);
    await redis.set(attempts, String(maxAttempts), "EX", 600);
    const waiting = await atFactor("delayed", right);
    expect(saidOf(await waiting.browser.submit(waiting.page, { code: "000000" }))).toBe("denied");
    await poll("the lines", () => output().includes('"reason":"account_throttled"'));
  });

  test("counts no code that nobody could judge, whether the password was right or not", async () => {
    for (const password of [right, "wrong"]) {
      const { browser, page } = await atFactor("delayed", password);
      for (const engine of idp.stack.engines) engine.signal("SIGSTOP");
      const answer = await browser.submit(page, { code: "000000" });
      for (const engine of idp.stack.engines) engine.signal("SIGCONT");
      expect(answer.status).toBe(500);
      const keys = await redis.keys("*factor:*");
      expect(keys.length).toBeGreaterThan(0);
      expect(await Promise.all(keys.map((key) => redis.get(key)))).toEqual(keys.map(() => "0"));
      await Promise.all(keys.map((key) => redis.del(key)));
    }
  });
});
