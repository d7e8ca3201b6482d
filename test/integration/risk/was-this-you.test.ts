import { poll } from "@postern/shared/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { NewSession } from "../../../services/idp/src/sessions/session-store.ts";
import { askJson } from "../../support/ask-json.ts";
import { type Browser, createBrowser, hiddenFields } from "../../support/browser.ts";
import { signedIn } from "../../support/oidc-user.ts";
import { redisContent, testRedis } from "../../support/redis-content.ts";
import { type IdpStack, startIdpStack } from "../idp/idp-stack.ts";

const page = "/mfa/suspicious-sign-ins";
const home = "192.0.2.7";
const bot = "198.51.100.7";
let idp: IdpStack;
let redis: Awaited<ReturnType<typeof testRedis>>;

/** Every new network is suspicious, so that no places are needed. */
const risk = {
  mode: "enforce",
  learn_for: "0s",
  known_after: "1m",
  weights: { new_source: 60 },
  dangerous: { score: 60, responses: ["hold_submission"] },
};

beforeAll(async () => {
  const links = { password_change_url: "https://password.example.test/" };
  const settings = { auth: { risk, controls: { enabled: ["brute_force"] } }, identity: { frontend: { links } } };
  idp = await startIdpStack(settings, {}, 2);
  redis = await testRedis(idp.stack.redis?.port ?? 0);
}, 300_000);

afterAll(async () => {
  redis.disconnect();
  await idp[Symbol.asyncDispose]();
});

const login = (name: string) => ({ username: `${name}@example.test`, password: `${name}-demo-password` });

async function submits(name: string, clientIp: string): Promise<number> {
  const answer = await askJson(idp.stack.url, { ...login(name), protocol: "smtp", client_ip: clientIp });
  return answer.status;
}

const countOf = async (part: string): Promise<number> =>
  (await redisContent(redis)).split("\n").filter((line) => line.includes(part)).length;

/** Signs in at home and then, with a correct password, from a network that the account does not know. */
async function takeOver(name: string): Promise<void> {
  const [known, reviews] = await Promise.all([countOf("risk:account:"), countOf("risk:review:")]);
  expect(await submits(name, home)).toBe(200);
  await poll("facts", async () => (await countOf("risk:account:")) > known);
  expect(await submits(name, bot)).toBe(403);
  await poll("the suspicious sign-in", async () => (await countOf("risk:review:")) > reviews);
}

async function browserOf(name: string, more: Partial<NewSession>): Promise<Browser> {
  const browser = createBrowser(idp.replicas);
  const [, sid = ""] = (await signedIn(redis, `${name}@example.test`, more)).split("=");
  browser.cookies.set("service_session", sid);
  return browser;
}

const now = (): number => Math.floor(Date.now() / 1000);
const longAgo = (): Partial<NewSession> => ({ loginTs: now() - 1800 });
const justNow = (): Partial<NewSession> => ({ loginTs: now() });

const confirmPath = (text: string): string | undefined =>
  /action="(\/mfa\/suspicious-sign-ins\/[^"]+\/confirm)"/u.exec(text)?.[1];

test("a browser that was signed in before confirms a sign-in, which ends the hold at every engine; the password alone does not", async () => {
  await takeOver("alice");
  const stranger = await browserOf("alice", justNow());
  const seen = await stranger.open(page);
  expect(seen.text).toContain("Was this you?");
  expect(confirmPath(seen.text)).toBeUndefined();
  const own = await browserOf("alice", longAgo());
  expect((await own.open("/mfa/register/home")).text).toContain("Unusual sign-ins: 1");
  const asked = await own.open(page);
  expect(asked.text).toContain("SMTP");
  expect(asked.text).not.toContain(bot);
  const path = confirmPath(asked.text) ?? "";
  const { csrf_token: theirs = "" } = hiddenFields(seen);
  expect((await stranger.post(path, { csrf_token: theirs })).status).toBe(400);
  expect(await submits("alice", bot)).toBe(403);
  const { csrf_token = "" } = hiddenFields(asked);
  const done = await own.post(path, { csrf_token });
  expect([done.status, done.location]).toEqual([302, page]);
  expect((await own.open(page)).text).toMatch(/This sign-in is confirmed[\s\S]*There are no unusual sign-ins/u);
  for (let index = 0; index < 6; index += 1) expect(await submits("alice", bot)).toBe(200);
  // Audit records leave a moment after the response.
  await poll("the audit record", () =>
    [idp.first, idp.second].some((one) => /"event":"risk.confirm".*"method":"known_device"/u.test(one.output())),
  );
});

test("a recent second factor confirms, an older one asks for the factor again", async () => {
  await takeOver("bob");
  const old = await browserOf("bob", { ...justNow(), mfaTs: now() - 1200 });
  const asked = await old.open(page);
  const path = confirmPath(asked.text) ?? "";
  const again = await old.post(path, { csrf_token: hiddenFields(asked)["csrf_token"] ?? "" });
  expect([again.status, again.location]).toEqual([302, expect.stringContaining("/login")]);
  expect(await submits("bob", bot)).toBe(403);
  const proven = await browserOf("bob", { ...justNow(), mfaTs: now() });
  const shown = await proven.open(page);
  await proven.post(path, { csrf_token: hiddenFields(shown)["csrf_token"] ?? "" });
  expect(await submits("bob", bot)).toBe(200);
});

test("one button ends other sessions and app passwords, leads to the change of the password, and leaves the hold", async () => {
  await takeOver("carol");
  const [own, other] = [await browserOf("carol", justNow()), await browserOf("carol", longAgo())];
  expect((await other.open("/mfa/sessions")).status).toBe(200);
  const appPasswords = await own.open("/mfa/app-passwords");
  expect((await own.submit(appPasswords, { label: "Phone" })).status).toBe(200);
  expect((await own.open("/mfa/app-passwords")).text).toContain("Phone");
  const asked = await own.open(page);
  const secured = await own.post(`${page}/secure`, { csrf_token: hiddenFields(asked)["csrf_token"] ?? "" });
  expect([secured.status, secured.location]).toEqual([302, page]);
  const after = await own.open(page);
  expect(after.text).toMatch(/have lost access[\s\S]*href="https:\/\/password.example.test\/"/u);
  expect((await other.get("/mfa/sessions")).status).toBe(401);
  expect((await own.open("/mfa/app-passwords")).text).not.toContain("Phone");
  expect(await submits("carol", bot)).toBe(403);
  await poll("the audit record", () => [idp.first, idp.second].some((one) => one.output().includes('"risk.reject"')));
});

test("suspicious sign-ins are kept without name, address or password, for a week", async () => {
  const kept = (await redisContent(redis)).split("\n").filter((line) => line.includes("risk:"));
  expect(kept.some((line) => line.includes("risk:review:"))).toBe(true);
  for (const line of kept) expect(line).not.toMatch(/alice|bob|carol|demo-password|192\.0\.2|198\.51/u);
  for (const key of await redis.keys("*risk:review:*")) expect(await redis.ttl(key)).toBeGreaterThan(600_000);
});
