import type { RedisClient } from "@postern/shared/platform/redis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, createBrowser, type Page } from "../../support/browser.ts";
import { clockOffset } from "../../support/clock-offset.ts";
import { claimsOf, signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";
import type { ServiceProcess } from "../../support/service-process.ts";
import { totpCode } from "../../support/totp-code.ts";
import { authorize, callback, follow, issuer, passwordStep, publicClient } from "./authorization.ts";
import { type IdpStack, startIdpStack } from "./idp-stack.ts";

const hourMs = 3_600_000;
const minuteSeconds = 60;
const factors = "/mfa/totp/register";
const alice = { username: "alice@example.test", password: "alice-demo-password" };
const bob = { username: "bob@example.test", password: "bob-demo-password" };

let idp: IdpStack;
let redis: RedisClient;
/** Replicas whose clocks are an hour behind and an hour ahead of that of Redis. */
let wrong: readonly [string, string];
let processes: readonly ServiceProcess[];

beforeAll(async () => {
  const grants = { grant_types: ["authorization_code", "refresh_token"], scopes: ["openid", "offline_access"] };
  const clients = [
    publicClient("plain", grants),
    publicClient("signed", { ...grants, access_token_type: "jwt" }),
    publicClient("strict", { require_mfa: ["totp"] }),
  ];
  idp = await startIdpStack(
    {
      identity: { session: { lifetime: "2h", idle_timeout: "2h" }, oidc: { enabled: true, issuer, clients } },
    },
    { shape: "five" },
  );
  redis = await testRedis(idp.stack.redis?.port ?? 0);
  const behind = await idp.stack.startReplica("idp", clockOffset(-hourMs));
  const ahead = await idp.stack.startReplica("idp", clockOffset(hourMs));
  wrong = [behind.url, ahead.url];
  processes = [behind.process, ahead.process];
});

afterAll(async () => {
  redis.disconnect();
  await idp[Symbol.asyncDispose]();
});

const nowSeconds = (): number => Math.floor(Date.now() / 1000);

/** A browser that has signed in this many seconds ago. */
async function browserOf(replicas: readonly string[], agoSeconds: number): Promise<Browser> {
  const browser = createBrowser(replicas);
  const [name = "", sid = ""] = (await signedIn(redis, alice.username, { loginTs: nowSeconds() - agoSeconds })).split(
    "=",
  );
  browser.cookies.set(name, sid);
  return browser;
}

async function token(browser: Browser, form: Record<string, string>): Promise<[number, Record<string, unknown>]> {
  const page = await browser.post("/oidc/token", form);
  return [page.status, Object(JSON.parse(page.text))];
}

const codeOf = ({ location = "" }: Page): string => new URL(location, issuer).searchParams.get("code") ?? "";

const redemption = (page: Page, clientId: string) => ({
  grant_type: "authorization_code",
  client_id: clientId,
  code: codeOf(page),
  redirect_uri: callback,
  code_verifier: "verifier-".repeat(6),
});

let usedStep = 0;

/** Each request goes to the replica that the previous one did not go to; `first` gets the first one. */
const alternating = (first: number): readonly string[] => (first === 0 ? wrong : wrong.toReversed());

test("the clocks are wrong, as the first lines of the logs show", () => {
  const hours = processes.map((process) => {
    const [line = "{}"] = process.output().split("\n");
    return Math.round((Date.parse(JSON.parse(line).time) - Date.now()) / hourMs);
  });
  expect(hours).toEqual([-1, 1]);
});

describe.each([
  ["behind", 0],
  ["ahead", 1],
])("sign-ins that begin at the replica whose clock is %s, and continue at each in turn", (_place, first) => {
  test.each(["plain", "signed"])("client %s: code, tokens, claims and refresh", async (clientId) => {
    const browser = createBrowser(alternating(first));
    const more = { scope: "openid offline_access", prompt: "consent" };
    const login = await authorize(browser, clientId, more);
    expect([login.status, login.text]).toEqual([200, expect.stringContaining('autocomplete="current-password"')]);
    const signedInPage = await follow(browser, await browser.submit(login, alice));
    const done =
      signedInPage.location === undefined
        ? await follow(browser, await browser.submit(signedInPage, { submit: "allow" }))
        : signedInPage;
    expect(done.location).toMatch(/\/callback\?code=/);
    const [status, body] = await token(browser, redemption(done, clientId));
    expect([status, body]).toEqual([200, expect.objectContaining({ refresh_token: expect.any(String) })]);
    // By its own clock, the replica that issued it has just authenticated the user.
    const { iat, auth_time: authTime } = claimsOf(body["id_token"]);
    expect(Math.abs(Number(iat) - Number(authTime))).toBeLessThan(minuteSeconds);
    const [again, refreshed] = await token(browser, {
      grant_type: "refresh_token",
      client_id: clientId,
      refresh_token: String(body["refresh_token"]),
    });
    expect([again, refreshed]).toEqual([200, expect.objectContaining({ access_token: expect.any(String) })]);
    for (const access of [body, refreshed]) {
      for (let replica = 0; replica < wrong.length; replica += 1) {
        const authorization = `Bearer ${String(access["access_token"])}`;
        const page = await browser.get("/oidc/userinfo", { authorization });
        expect([page.status, page.text]).toEqual([200, expect.stringContaining("alice@example.test")]);
      }
    }
  });

  test("with an app's code, which is right by the user's clock", async () => {
    const browser = createBrowser(alternating(first), `192.0.2.${20 + first}`);
    const choice = await passwordStep(browser, "strict", bob);
    const codePage = await browser.get(
      /href="(\/login\/totp[^"]*)"/.exec(choice.text)?.[1]?.replaceAll("&amp;", "&") ?? "",
    );
    // A step is accepted once, so the two runs use different ones; the next one is within the permitted skew.
    usedStep = Math.max(Math.floor(Date.now() / 30_000), usedStep + 1);
    const code = totpCode("JBSWY3DPEHPK3PXP", usedStep);
    const done = await follow(browser, await browser.submit(codePage, { code }));
    expect(done.location).toMatch(/\/callback\?code=/);
    const [status] = await token(browser, redemption(done, "strict"));
    expect(status).toBe(200);
  });

  test("a code is used once, at whichever replica", async () => {
    const browser = await browserOf(alternating(first), 60);
    const form = redemption(await authorize(browser, "plain"), "plain");
    expect((await token(browser, form))[0]).toBe(200);
    expect((await token(browser, form))[0]).toBe(400);
  });
});

test.each([
  ["behind", 0],
  ["ahead", 1],
])("the replica whose clock is %s knows how long ago a user has signed in", async (_place, index) => {
  const replica = [wrong[index] ?? ""];
  const recent = await browserOf(replica, minuteSeconds);
  const old = await browserOf(replica, 11 * minuteSeconds);
  expect((await recent.get(factors)).status).toBe(200);
  expect((await old.get(factors)).location).toMatch(/^\/login/);
  const maxAge = { max_age: String(5 * minuteSeconds) };
  expect((await authorize(recent, "plain", maxAge)).location).toMatch(/\/callback\?code=/);
  expect((await authorize(old, "plain", maxAge)).url).toMatch(/^\/login/);
});

describe.each([
  ["behind", 0],
  ["ahead", 1],
])("what the replica whose clock is %s stores", (_place, index) => {
  test("lives as long as at any other", async () => {
    await redis.flushall();
    const browser = createBrowser([wrong[index] ?? ""]);
    const login = await browser.open("/mfa/register/home");
    const lives = async (pattern: string): Promise<number[]> =>
      Promise.all((await redis.keys(pattern)).map(async (key) => Math.ceil((await redis.pttl(key)) / 60_000)));
    // Two keys of the flow: the record, and the latest flow of the browser.
    expect(await lives("postern:*flow*")).toEqual([10, 10]);
    expect((await browser.submit(login, alice)).status).toBe(302);
    const sessions = [...(await lives("postern:session*")), ...(await lives("postern:*sessions*"))];
    expect(sessions.length).toBeGreaterThanOrEqual(3);
    expect(new Set(sessions)).toEqual(new Set([120]));
  });
});
