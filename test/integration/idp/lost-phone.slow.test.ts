import { createRiskNames, encodeReviews } from "@postern/shared/domain/risk";
import { type RedisClient, riskReviewKey } from "@postern/shared/platform/redis";
import { freePort, poll } from "@postern/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { type Browser, createBrowser, type Page } from "../../support/browser.ts";
import { type HookReceiver, startHookReceiver } from "../../support/notification-receivers.ts";
import { claimsOf } from "../../support/oidc-user.ts";
import { redisContent, testRedis } from "../../support/redis-content.ts";
import { runOperator } from "../../support/run-operator.ts";
import { passwordNonce } from "../../support/stack-config.ts";
import { authorize, callback, follow, issuer, passwordStep, publicClient } from "./authorization.ts";
import { type IdpStack, startIdpStack } from "./idp-stack.ts";

const bob = { username: "bob@example.test", password: "bob-demo-password" };
const secret = "JBSWY3DPEHPK3PXP";
const wrong = "AAAA-BBBB-CCCC-DDDD";

let idp: IdpStack;
let redis: RedisClient;
let hooks: HookReceiver;

beforeAll(async () => {
  const hookPort = await freePort();
  hooks = await startHookReceiver(hookPort);
  const clients = [
    publicClient("webmail"),
    publicClient("low", { required_mfa_level: "1" }),
    publicClient("high", { required_mfa_level: "2" }),
    publicClient("delayed", { delayed_response: true }),
  ];
  const webhook = { url: `http://127.0.0.1:${hookPort}/hook`, secret: "a-secret-of-webhooks-0123456789" };
  idp = await startIdpStack(
    {
      runtime: { console: { role_attribute: "uid", roles: { helpdesk: ["carol"] } } },
      identity: {
        mfa: { lost_phone: { enabled: true } },
        notices: { enabled: true, webhook },
        oidc: { enabled: true, issuer, clients },
      },
    },
    { shape: "five", services: ["admin", "jobs-worker"] },
  );
  redis = await testRedis(idp.stack.redis?.port ?? 0);
}, 300_000);

afterAll(async () => {
  redis.disconnect();
  await idp[Symbol.asyncDispose]();
  await hooks[Symbol.asyncDispose]();
});

const management = (method: string, path: string, body: object) =>
  askAdmin(idp.stack, method, `/api/v1/${path}`, { body });
const create = (username: string) => management("POST", "console/lost-phone-codes", { username });

async function newCode(): Promise<string> {
  const { status, body } = await create(bob.username);
  expect(status).toBe(200);
  return String(body["code"]);
}

const isDone = ({ location }: Page): boolean => location?.startsWith(`${callback}?code=`) === true;
const pathOf = ({ url }: Page): string => url.replace(/\?.*/u, "");
const sent = () => hooks.received.map(({ body }): Record<string, unknown> => JSON.parse(body));

/** The form for the code, as the pages lead to it. */
async function codePage(browser: Browser, client = "webmail"): Promise<Page> {
  const choice = await passwordStep(browser, client, bob);
  expect([pathOf(choice), choice.text.includes("Code from the help desk")]).toEqual(["/login/mfa", true]);
  const [, href = ""] = /href="(\/login\/lost-phone[^"]*)"/u.exec(choice.text) ?? [];
  return browser.get(href.replaceAll("&amp;", "&"));
}

async function enter(browser: Browser, code: string, client?: string): Promise<Page> {
  return follow(browser, await browser.submit(await codePage(browser, client), { code }));
}

const reviews = riskReviewKey.build("postern:", createRiskNames(passwordNonce).account(bob.username));

async function doubt(): Promise<void> {
  const minute = Math.floor(Date.now() / 60_000);
  const review = {
    session: "s",
    minute,
    network: "n",
    country: "NG",
    system: 1,
    protocol: "oidc",
    client: "",
    score: 9,
  };
  const value = encodeReviews([{ ...review, level: "suspicious", signals: [], refusal: "", isRefused: false }]);
  await redis.set(reviews, value, "EX", 600);
}

beforeEach(async () => {
  const keys = [...(await redis.keys("*factor:*")), ...(await redis.keys("*risk:review*"))];
  if (keys.length > 0) await redis.del(...keys);
});

test("a code takes the place of the second factor once, and the user learns of its creation and use", async () => {
  const { status, body, headers } = await create("BOB@example.test");
  expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
  expect(body).toEqual({ account: bob.username, code: expect.any(String), expires: expect.any(String) });
  // By the clock of Redis.
  expect(Date.parse(String(body["expires"])) - Date.now()).toBeLessThan(3_660_000);
  const code = String(body["code"]);
  expect(await redisContent(redis)).not.toContain(code);
  const browser = createBrowser(idp.replicas);
  const page = await codePage(browser);
  const denied = await browser.submit(page, { code: wrong });
  expect([denied.status, denied.text.includes("incorrect, has expired")]).toEqual([200, true]);
  const done = await follow(browser, await browser.submit(denied, { code }));
  expect(isDone(done)).toBe(true);
  const { text } = await browser.post("/oidc/token", {
    grant_type: "authorization_code",
    client_id: "webmail",
    code: new URL(done.location ?? "").searchParams.get("code") ?? "",
    redirect_uri: callback,
    code_verifier: "verifier-".repeat(6),
  });
  expect(claimsOf(Object(JSON.parse(text)).id_token)).toMatchObject({ acr: "recovery", amr: ["pwd", "otp", "mfa"] });
  await poll(
    "two notifications",
    () => sent().filter(({ event }) => String(event).startsWith("lost_phone")).length === 2,
  );
  expect(sent()).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ event: "lost_phone_code", account: bob.username }),
      expect.objectContaining({ event: "lost_phone_code_used", account: bob.username, client_ip: "192.0.2.7" }),
    ]),
  );
  expect((await enter(createBrowser(idp.replicas), code)).text).toContain("incorrect, has expired");
});

test("the command prints a code that works, and forgets remembered devices", async () => {
  const { code, out } = await runOperator(idp.stack.url, ["lost-phone", bob.username]);
  const [typed = ""] = /[A-Z2-9]{4}(-[A-Z2-9]{4}){3}/u.exec(out) ?? [];
  expect([code, out]).toEqual([0, expect.stringContaining(`code for ${bob.username}`)]);
  expect(isDone(await enter(createBrowser(idp.replicas), typed))).toBe(true);
  const refusal = await runOperator(idp.stack.url, ["lost-phone", "carol@example.test"]);
  expect([refusal.code === 0, refusal.err]).toEqual([false, expect.stringContaining("operators cannot get a code")]);
  const forgotten = await runOperator(idp.stack.url, ["factors", "forget", bob.username]);
  expect(forgotten).toMatchObject({ code: 0, out: expect.stringContaining("0 remembered devices forgotten") });
});

test("of two browsers that send a code to two replicas at the same moment, one signs in", async () => {
  const code = await newCode();
  const tabs = await Promise.all(
    idp.replicas.map(async (replica) => {
      const browser = createBrowser([replica]);
      return { browser, page: await codePage(browser) };
    }),
  );
  const answers = await Promise.all(tabs.map(({ browser, page }) => browser.submit(page, { code })));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 302]));
});

test("wrong codes are counted with those of recovery codes, and throttled like them", async () => {
  const code = await newCode();
  const browser = createBrowser(idp.replicas);
  let page = await codePage(browser);
  for (let count = 0; count < 10; count += 1) page = await browser.submit(page, { code: wrong });
  const { body } = await management("POST", "console/account", { account: bob.username });
  expect(Object(body["factors"]).wrong_codes).toEqual({ recovery: 10 });
  page = await browser.submit(page, { code });
  expect(page.text).toContain("Too many attempts");
});

test("the session changes no factors until an operator has removed the old one, and is not stronger than a recovery code", async () => {
  const browser = createBrowser(idp.replicas);
  expect(isDone(await enter(browser, await newCode()))).toBe(true);
  expect((await browser.get("/mfa/register/home")).status).toBe(200);
  for (const path of ["totp/register", "webauthn/register", "recovery/register", "app-passwords"]) {
    expect([path, (await browser.get(`/mfa/${path}`)).location]).toEqual([path, expect.stringMatching(/^\/login\?/u)]);
  }
  const headers = { "sec-fetch-site": "same-origin", origin: issuer };
  const generated = await browser.send("/api/v1/mfa/recovery-codes/generate", { method: "POST", headers });
  expect(generated.status).toBe(403);
  // What the console asks for.
  expect(pathOf(await authorize(browser, "webmail", { acr_values: "mfa phr" }))).toBe("/login");
  expect(isDone(await authorize(browser, "webmail"))).toBe(true);
  try {
    expect((await management("DELETE", "mfa-backchannel/totp", { username: bob.username })).status).toBe(200);
    const setup = await browser.get("/mfa/totp/register");
    expect([setup.status, setup.text.includes('class="secret"')]).toEqual([200, true]);
  } finally {
    await management("POST", "mfa-backchannel/totp", { username: bob.username, totp_secret: secret });
  }
});

describe("a code", () => {
  test("signs in to an application that demands a factor of its level, and is not offered by others", async () => {
    expect(isDone(await enter(createBrowser(idp.replicas), await newCode(), "low"))).toBe(true);
    for (const client of ["high", "delayed"]) {
      const browser = createBrowser(idp.replicas);
      const page = await passwordStep(browser, client, bob);
      expect([client, page.text.includes("lost-phone")]).toEqual([client, false]);
      const [, flow = ""] = /flow=([\w-]+)/u.exec(page.url) ?? [];
      expect((await browser.get(`/login/lost-phone?flow=${flow}`)).location).not.toContain("lost-phone");
    }
  });

  test("does not work after a suspicious sign-in, until its user has answered", async () => {
    const code = await newCode();
    await doubt();
    const browser = createBrowser(idp.replicas);
    const page = await codePage(browser);
    expect((await browser.submit(page, { code })).text).toContain("incorrect, has expired");
    await redis.del(reviews);
    expect((await browser.submit(page, { code })).status).toBe(302);
  });

  test("ends when the account is suspended", async () => {
    const code = await newCode();
    await management("POST", "suspensions", { username: bob.username });
    await management("DELETE", "suspensions", { username: bob.username });
    await poll(
      "bob signs in",
      async () => (await passwordStep(createBrowser(idp.replicas), "webmail", bob)).url !== "/login",
    );
    expect((await enter(createBrowser(idp.replicas), code)).text).toContain("incorrect, has expired");
  });
});

async function refused(username: string): Promise<unknown> {
  const { status, body } = await create(username);
  return [status, body["error"], await redis.keys("*lost-phone*")];
}

describe("there is no code for", () => {
  test.each([
    ["an operator", "carol@example.test", "operator"],
    ["an account without a second factor", "alice@example.test", "no second factor"],
    ["an unknown name", "nobody@example.test", "must be the name of one account"],
    ["no name", "", "username"],
  ])("%s", async (_whom, username, reason) => {
    expect(await refused(username)).toEqual([400, expect.stringContaining(reason), []]);
  });

  test("an account with an unanswered suspicious sign-in, or a suspended one", async () => {
    await doubt();
    expect(await refused(bob.username)).toEqual([400, expect.stringContaining("suspicious sign-in"), []]);
    await redis.del(reviews);
    await management("POST", "suspensions", { username: bob.username });
    expect(await refused(bob.username)).toEqual([400, expect.stringContaining("is suspended"), []]);
    await management("DELETE", "suspensions", { username: bob.username });
  });
});
