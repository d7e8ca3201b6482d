import { poll } from "@postern/shared/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { NewSession } from "../../../services/idp/src/sessions/session-store.ts";
import { askJson } from "../../support/ask-json.ts";
import { type Browser, createBrowser, hiddenFields, type Page } from "../../support/browser.ts";
import { logLineOf } from "../../support/log-lines.ts";
import { signedIn } from "../../support/oidc-user.ts";
import { redisContent, testRedis } from "../../support/redis-content.ts";
import { type IdpStack, startIdpStack } from "../idp/idp-stack.ts";

const start = "/mfa/register/home";
const suspicious = "/mfa/suspicious-sign-ins";
const home = "192.0.2.7";
const bot = "198.51.100.7";
let idp: IdpStack;
let redis: Awaited<ReturnType<typeof testRedis>>;

/** Every new network is suspicious, so that no places are needed. Bob alone has a second factor. */
beforeAll(async () => {
  const risk = {
    mode: "enforce",
    learn_for: "0s",
    known_after: "0s",
    weights: { new_source: 60 },
    suspicious: { score: 60, responses: ["second_factor"] },
  };
  const webhook = { url: "http://127.0.0.1:9/hook", secret: "a-secret-of-webhooks-0123456789" };
  const settings = {
    auth: { risk, controls: { enabled: ["brute_force"] } },
    identity: { notices: { enabled: true, webhook } },
  };
  idp = await startIdpStack(settings, {}, 2);
  redis = await testRedis(idp.stack.redis?.port ?? 0);
}, 300_000);

afterAll(async () => {
  redis.disconnect();
  await idp[Symbol.asyncDispose]();
});

const login = (name: string) => ({ username: `${name}@example.test`, password: `${name}-demo-password` });

const countOf = async (part: string): Promise<number> =>
  (await redisContent(redis)).split("\n").filter((line) => line.includes(part)).length;

async function byMail(name: string, clientIp: string, protocol: string) {
  const { status, headers } = await askJson(idp.stack.url, { ...login(name), protocol, client_ip: clientIp });
  const line = await logLineOf(idp.stack.gateway, headers.get("x-service-session") ?? undefined, "decided");
  return { status, signals: String(line["risk_signals"] ?? "") };
}

/** Signs in at home, and waits until the engines remember it. */
async function settle(name: string): Promise<void> {
  const before = await countOf("risk:account:");
  expect((await byMail(name, home, "imap")).status).toBe(200);
  await poll("facts", async () => (await countOf("risk:account:")) > before);
}

async function onPages(browser: Browser, name: string): Promise<Page> {
  return browser.submit(await browser.open(start), login(name));
}

const alertIn = ({ text }: Page): string => /role="alert" id="problem">([^<]+)</.exec(text)?.[1] ?? "";

test("legacy_protocol is raised at two engines for mail programs of an account with a second factor, and for no other account", async () => {
  await settle("bob");
  await settle("carol");
  for (const protocol of ["imap", "smtp", "pop3", "imap", "smtp", "pop3"]) {
    expect((await byMail("bob", bot, protocol)).signals).toContain("legacy_protocol");
    expect((await byMail("carol", bot, protocol)).signals).toBe("new_source");
    expect((await byMail("bob", home, protocol)).signals).toBe("");
  }
});

test("second_factor: a password alone does not sign in on the pages from an unknown network, and mail programs are not affected", async () => {
  await settle("alice");
  for (let replica = 0; replica < 4; replica += 1) {
    const refused = await onPages(createBrowser(idp.replicas, bot), "alice");
    expect(alertIn(refused)).toContain("sign in from a network or browser that you used before");
    expect((await byMail("alice", bot, "imap")).status).toBe(200);
  }
  const bobs = createBrowser(idp.replicas, bot);
  const asked = await onPages(bobs, "bob");
  expect((await bobs.open(asked.location ?? "")).text).toContain("Authenticator app");
  const own = await onPages(createBrowser(idp.replicas, home), "alice");
  expect([own.status, own.location]).toEqual([302, expect.stringContaining(start)]);
});

test("a browser in which the user has confirmed a sign-in is known in every network", async () => {
  const browser = createBrowser(idp.replicas, home);
  expect(alertIn(await onPages(browser, "alice"))).toBe("");
  const session: Partial<NewSession> = { loginTs: Math.floor(Date.now() / 1000) - 1800 };
  const [, sid = ""] = (await signedIn(redis, login("alice").username, session)).split("=");
  browser.cookies.set("service_session", sid);
  const page = await browser.open(suspicious);
  const path = /action="(\/mfa\/suspicious-sign-ins\/[^"]+\/confirm)"/u.exec(page.text)?.[1] ?? "";
  expect((await browser.post(path, { csrf_token: hiddenFields(page)["csrf_token"] ?? "" })).status).toBe(302);
  const token = browser.cookies.get("service_device") ?? "";
  expect(token).not.toBe("");
  for (const clientIp of ["203.0.113.7", "203.0.114.7"]) {
    const elsewhere = createBrowser(idp.replicas, clientIp);
    expect(alertIn(await onPages(elsewhere, "alice"))).toContain("browser that you used before");
    const known = createBrowser(idp.replicas, clientIp);
    known.cookies.set("service_device", token);
    expect(alertIn(await onPages(known, "alice"))).toBe("");
    // The browser of one account says nothing about another.
    const other = createBrowser(idp.replicas, clientIp);
    other.cookies.set("service_device", token);
    expect(alertIn(await onPages(other, "carol"))).toContain("browser that you used before");
  }
  expect(
    (await redisContent(redis))
      .split("\n")
      .filter((line) => line.includes("risk:"))
      .join("\n"),
  ).not.toContain(token);
});
