import { factorLockKeys } from "@postern/shared/domain/factor-locks";
import type { RedisClient } from "@postern/shared/platform/redis";
import { poll } from "@postern/testing";
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
  idp = await startIdpStack(
    {
      identity: {
        oidc: { enabled: true, issuer, clients },
        mfa: { totp: { max_attempts: maxAttempts, max_failures: maxFailures } },
      },
    },
    { services: ["admin"], shape: "five" },
  );
  if (idp.stack.redis === undefined) throw new Error("no Redis");
  redis = await testRedis(idp.stack.redis.port);
});

afterAll(async () => {
  redis.disconnect();
  await idp[Symbol.asyncDispose]();
});

/** Clears the counts and used codes, as if ten minutes had passed. */
beforeEach(async () => {
  const keys = await redis.keys("*factor:*");
  await Promise.all(keys.map((key) => redis.del(key)));
});

const keysOfBob = async (method: "totp" | "recovery" = "totp") => {
  const [keyPrefix = ""] = (await redis.keys("*session:*"))[0]?.split("session:") ?? [];
  return factorLockKeys(keyPrefix, bob, method);
};

const output = (): string => idp.processes.map((process) => process.output()).join("");

/** Number of notifications of an event since a time; log lines of earlier tests may still arrive. */
const notificationsSince = (event: string, time: string): number =>
  output()
    .split("\n")
    .filter((line) => line.includes(`"event":"${event}"`) && (/"time":"([^"]+)"/.exec(line)?.[1] ?? "") >= time).length;

const unlock = () => askAdmin(idp.stack, "DELETE", "/api/v1/mfa-backchannel/lock", { body: { username: "alias" } });

interface FactorStep {
  readonly browser: Browser;
  readonly page: Page;
}

async function tryFactorStep(clientId: string, password: string): Promise<FactorStep> {
  const browser = createBrowser(idp.replicas);
  const page = await passwordStep(browser, clientId, { username: bob, password });
  return { browser, page };
}

const asksForCode = ({ page }: FactorStep): boolean => page.status === 200 && page.text.includes('name="code"');

/** A new browser at the second-factor step of bob's sign-in. */
async function openFactorStep(clientId: string, password: string): Promise<FactorStep> {
  const step = await tryFactorStep(clientId, password);
  expect(asksForCode(step), `${step.page.status} ${step.page.text}`).toBe(true);
  return step;
}

/** Runs while no engine answers. Resolves when both replicas of idp reach an engine again. */
async function withoutEngines<T>(run: () => Promise<T>): Promise<T> {
  for (const engine of idp.stack.engines) engine.signal("SIGSTOP");
  try {
    return await run();
  } finally {
    for (const engine of idp.stack.engines) engine.signal("SIGCONT");
    // The pages of a sign-in come from both replicas.
    await poll("the engines to answer", async () => asksForCode(await tryFactorStep("plain", right)));
  }
}

const right = "bob-demo-password";

const sentences = {
  denied: "This code is incorrect or has already been used",
  throttled: "Too many attempts",
  locked: "This method is locked",
} as const;

/** Which message the page shows about a code. */
function messageOn(page: Page): string {
  if (page.location !== undefined) return "moved";
  const shown = Object.entries(sentences).filter(([, sentence]) => page.text.includes(sentence));
  return shown.map(([name]) => name).join();
}

async function enterWrongCodes({ browser, page }: FactorStep, count: number): Promise<string[]> {
  const messages: string[] = [];
  for (let index = 0; index < count; index += 1)
    messages.push(messageOn(await browser.submit(page, { code: "000000" })));
  return messages;
}

async function signsIn(): Promise<boolean> {
  const { browser, page } = await openFactorStep("plain", right);
  const done = await follow(browser, await browser.submit(page, { code: totpCode(bobsSecret) }));
  return done.location?.startsWith(`${callback}?code=`) === true;
}

test("a form with a correct code that is sent twice, as by a double click, is answered twice as the first time", async () => {
  const { browser, page } = await openFactorStep("plain", right);
  const code = totpCode(bobsSecret);
  const answers = await Promise.all([browser.submit(page, { code }), browser.submit(page, { code })]);
  expect(answers.map(messageOn)).toEqual(["moved", "moved"]);
  const [, second] = answers;
  expect((await follow(browser, second)).location).toContain(`${callback}?code=`);
  // In another sign-in it has been used.
  const other = await openFactorStep("plain", right);
  expect(messageOn(await other.browser.submit(other.page, { code }))).toBe("denied");
});

test("a form with a recovery code that is sent twice is answered twice as the first time, and the owner is notified once", async () => {
  const start = new Date().toISOString();
  const { browser, page } = await openFactorStep("recovery", right);
  const code = "BOBS-RACE";
  const answers = await Promise.all([browser.submit(page, { code }), browser.submit(page, { code })]);
  expect(answers.map(messageOn)).toEqual(["moved", "moved"]);
  await follow(browser, answers[1]);
  expect(browser.cookies.has("service_session")).toBe(true);
  // In another sign-in it has been used.
  const other = await openFactorStep("recovery", right);
  expect(messageOn(await other.browser.submit(other.page, { code }))).toBe("denied");
  await poll("the notification", () => notificationsSince("recovery_code_used", start) > 0);
  expect(notificationsSince("recovery_code_used", start)).toBe(1);
});

/** Enters wrong codes after the correct password, without reaching the limit of attempts per time. */
async function fail(count: number): Promise<void> {
  for (let done = 0; done < count; done += maxAttempts) {
    const { attempts } = await keysOfBob();
    await redis.del(attempts);
    const messages = await enterWrongCodes(await openFactorStep("plain", right), Math.min(maxAttempts, count - done));
    expect(new Set(messages)).toEqual(new Set(["denied"]));
  }
}

describe("an attacker without the password", () => {
  test("cannot exhaust the account's attempts, even with many codes in many flows", async () => {
    const flows = await Promise.all(["one", "two", "three", "four"].map((wrong) => openFactorStep("delayed", wrong)));
    const messages = await Promise.all(flows.map((flow) => enterWrongCodes(flow, maxAttempts + 1)));
    for (const one of messages)
      expect(one).toEqual([...Array.from({ length: maxAttempts }, () => "denied"), "throttled"]);
    expect(await signsIn()).toBe(true);
  });

  test("sees the same messages whether or not the password was correct", async () => {
    const flows = await Promise.all([right, "wrong"].map((password) => openFactorStep("delayed", password)));
    const [ofRight, ofWrong] = await Promise.all(flows.map((flow) => enterWrongCodes(flow, maxAttempts + 2)));
    expect(ofWrong).toEqual(ofRight);
  });

  test("cannot tell from other flows that the password was correct, because the account's limit is not shown", async () => {
    // A user who knows the password exhausts the attempts of the account.
    expect((await enterWrongCodes(await openFactorStep("plain", right), maxAttempts + 1)).at(-1)).toBe("throttled");
    const flows = await Promise.all([right, "wrong"].map((password) => openFactorStep("delayed", password)));
    const [ofRight, ofWrong] = await Promise.all(flows.map((flow) => enterWrongCodes(flow, maxAttempts + 1)));
    expect(ofRight).toEqual(ofWrong);
    expect(ofRight?.[0]).toBe("denied");
    // While the account is throttled, a correct code is rejected there too.
    const { browser, page } = await openFactorStep("delayed", right);
    expect(messageOn(await browser.submit(page, { code: totpCode(bobsSecret) }))).toBe("denied");
  });
});

describe("an attacker with the password but without the code", () => {
  test("locks the factor after too many consecutive wrong codes, and the owner is notified before and when it happens", async () => {
    const start = new Date().toISOString();
    await fail(maxFailures);
    const { browser, page } = await openFactorStep("plain", right);
    expect(messageOn(await browser.submit(page, { code: totpCode(bobsSecret) }))).toBe("locked");
    await poll(
      "the notifications",
      () => notificationsSince("factor_guessed", start) === 3 && notificationsSince("factor_locked", start) === 1,
    );
    await poll("the audit line", () => output().includes('"event":"second_factor.lock"'));

    // Another factor of the account still works.
    const other = await openFactorStep("recovery", right);
    await follow(other.browser, await other.browser.submit(other.page, { code: "BOBS-2345" }));
    expect(other.browser.cookies.has("service_session")).toBe(true);
    expect(await signsIn()).toBe(false);

    const unlocked = await askAdmin(idp.stack, "DELETE", "/api/v1/mfa-backchannel/lock", { body: { username: bob } });
    expect([unlocked.status, unlocked.body]).toEqual([200, { status: "ok", wrong_codes: { totp: maxFailures } }]);
    expect(await signsIn()).toBe(true);
  });

  test("unlocking fails while no engine can resolve the user name to an account", async () => {
    expect((await withoutEngines(unlock)).status).toBe(500);
    await poll("the engines to answer", async () => (await unlock()).status === 200);
  });

  test("a correct code resets the count, and wrong codes after a wrong password do not raise it", async () => {
    await fail(maxFailures - 1);
    await enterWrongCodes(await openFactorStep("delayed", "wrong"), maxAttempts);
    const { failures, attempts } = await keysOfBob();
    expect(await redis.get(failures)).toBe(String(maxFailures - 1));
    await redis.del(attempts);
    expect(await signsIn()).toBe(true);
    expect(await redis.get(failures)).toBeNull();
  });

  test("codes that arrive at the same time on two replicas are all counted", async () => {
    const flows = await Promise.all(Array.from({ length: 3 }, () => openFactorStep("plain", right)));
    const messages = (await Promise.all(flows.map((flow) => enterWrongCodes(flow, maxAttempts)))).flat();
    expect(messages.filter((one) => one === "denied")).toHaveLength(maxAttempts);
    expect(messages.filter((one) => one === "throttled")).toHaveLength(2 * maxAttempts);
    const { failures } = await keysOfBob();
    expect(await redis.get(failures)).toBe(String(maxAttempts));
  });

  test("a code that could not be verified is not counted as wrong", async () => {
    const factor = await openFactorStep("plain", right);
    const { failures } = await keysOfBob();
    const answer = await withoutEngines(() => factor.browser.submit(factor.page, { code: "000000" }));
    expect(answer.status).toBe(500);
    expect(Number((await redis.get(failures)) ?? "0")).toBe(0);
  });
});

describe("an application with `delayed_response`", () => {
  test("does not consume a recovery code that it rejects because the account is throttled or locked", async () => {
    const { attempts } = await keysOfBob("recovery");
    expect((await enterWrongCodes(await openFactorStep("recovery", right), maxAttempts + 1)).at(-1)).toBe("throttled");
    const waiting = await openFactorStep("delayed-recovery", right);
    expect(messageOn(await waiting.browser.submit(waiting.page, { code: "BOBS-6789" }))).toBe("denied");
    await redis.del(attempts);
    const { browser, page } = await openFactorStep("recovery", right);
    await follow(browser, await browser.submit(page, { code: "BOBS-6789" }));
    expect(browser.cookies.has("service_session")).toBe(true);
  });

  test("logs whether the factor was locked or throttled, and shows neither on the page", async () => {
    const { attempts, failures } = await keysOfBob();
    await redis.set(failures, String(maxFailures), "EX", 600);
    const locked = await openFactorStep("delayed", right);
    const before = output().split('"reason":"factor_locked"').length;
    expect(messageOn(await locked.browser.submit(locked.page, { code: "000000" }))).toBe("denied");
    await poll("the log lines", () => output().split('"reason":"factor_locked"').length >= before + 2);
    await redis.del(failures);
    await redis.set(attempts, String(maxAttempts), "EX", 600);
    const waiting = await openFactorStep("delayed", right);
    expect(messageOn(await waiting.browser.submit(waiting.page, { code: "000000" }))).toBe("denied");
    await poll("the log lines", () => output().includes('"reason":"account_throttled"'));
  });

  test("counts no code that could not be verified, whether or not the password was correct", async () => {
    for (const password of [right, "wrong"]) {
      const { browser, page } = await openFactorStep("delayed", password);
      const answer = await withoutEngines(() => browser.submit(page, { code: "000000" }));
      expect(answer.status).toBe(500);
      const keys = await redis.keys("*factor:*");
      expect(keys.length).toBeGreaterThan(0);
      expect(await Promise.all(keys.map((key) => redis.get(key)))).toEqual(keys.map(() => "0"));
      await Promise.all(keys.map((key) => redis.del(key)));
    }
  });
});
