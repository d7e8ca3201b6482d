import { DatabaseSync } from "node:sqlite";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askJson } from "../../support/ask-json.ts";
import { createBrowser, type Page } from "../../support/browser.ts";
import { logLineOf } from "../../support/log-lines.ts";
import { type MailClient, mailScope, registerMailClient } from "../../support/mail-client.ts";
import { askReplicas } from "../../support/oidc-stack.ts";
import { follow, issuer } from "../idp/authorization.ts";
import { home, login, longAgo, startUserStack, type UserStack } from "./user-stack.ts";

/** The rows of the table in account-takeover.md, apart from holds, which have a file of their own. */
const carolsAppPassword = "app-careed-emeapp-asswer-dferca-reprgj";
const account = login("carol");
const office = "203.0.113.7";
const accountPage = "/mfa/register/home";

let users: UserStack;
let mail: MailClient;
let tokens: Awaited<ReturnType<MailClient["redeem"]>>;

beforeAll(async () => {
  const buckets = [{ name: "office", period: "10m", ban_time: "1h", cidr: 24, failed_requests: 5, ipv4: true }];
  const delay = { failures: 5, max_delay: "100ms" };
  const registration = { enabled: true, per_minute: 1000, max_pending_per_network: 1000 };
  users = await startUserStack(
    {},
    {
      auth: {
        oauthbearer: { enabled: true, issuer },
        controls: { brute_force: { buckets, account_delay: delay } },
        pipeline: { local_cache_ttl: "0s" },
      },
      identity: { oidc: { enabled: true, issuer, mail_registration: registration } },
    },
    1,
  );
  const { replicas } = users.idp;
  mail = await registerMailClient({ issuer, replicas, ask: askReplicas(replicas) });
  const browser = await users.browserOf("carol", longAgo(), home);
  const consent = await mail.toConsent(browser, { scope: `${mailScope} offline_access` });
  tokens = await mail.redeem(await follow(browser, await browser.submit(consent, { submit: "allow" })));
}, 300_000);

afterAll(() => users[Symbol.asyncDispose]());

async function signIn(fields: object, clientIp: string) {
  const request = { ...account, protocol: "imap", ...fields, client_ip: clientIp };
  const { status, headers } = await askJson(users.idp.stack.url, request);
  const line = await logLineOf(users.idp.stack.gateway, headers.get("x-service-session") ?? undefined, "decided");
  return { status, outcome: line["outcome"], reason: line["reason"], delayMs: Number(line["held_ms"] ?? 0) };
}

const appPassword = { password: carolsAppPassword };
const token = () => ({ method: "xoauth2", password: tokens.access_token });

async function guess(count: number, network: (index: number) => string): Promise<void> {
  for (let index = 0; index < count; index += 1) await signIn({ password: `guess-${index}` }, network(index));
}

async function signInOnPages(clientIp: string): Promise<Page> {
  const browser = createBrowser(users.idp.replicas, clientIp);
  return browser.submit(await browser.open(accountPage), account);
}

test("a ban refuses passwords and app passwords from its network, says so on the pages, and stops no token and no session", async () => {
  await guess(6, () => office);
  expect(await signIn({}, office)).toMatchObject({ status: 403, outcome: "blocked" });
  expect(await signIn(appPassword, office)).toMatchObject({ status: 403, outcome: "blocked" });
  expect(await signIn(token(), office)).toMatchObject({ status: 200 });
  // From there, invalid tokens get the same answer as passwords.
  expect(await signIn({ ...token(), password: "A".repeat(43) }, office)).toMatchObject({
    status: 403,
    outcome: "blocked",
  });
  expect(await signIn({}, home)).toMatchObject({ status: 200 });
  tokens = await mail.refresh(tokens.refresh_token ?? "");
  expect(await signIn(token(), office)).toMatchObject({ status: 200 });
  expect((await signInOnPages(office)).text).toMatch(/Too many/u);
  const session = await users.browserOf("carol", longAgo(), office);
  expect((await session.get(accountPage)).status).toBe(200);
});

test("an account delay slows passwords from unknown networks, and neither app passwords nor tokens", async () => {
  await guess(12, (index) => `203.0.${index}.9`);
  const unknown = "198.18.0.7";
  expect((await signIn({ password: "wrong" }, unknown)).delayMs).toBeGreaterThan(0);
  expect(await signIn(appPassword, "198.18.1.7")).toMatchObject({ status: 200, delayMs: 0 });
  expect(await signIn(token(), "198.18.2.7")).toMatchObject({ status: 200, delayMs: 0 });
  const delayed = await signIn({}, unknown);
  expect([delayed.status, delayed.delayMs > 0]).toEqual([200, true]);
  expect(await signIn({}, home)).toMatchObject({ status: 200, delayMs: 0 });
});

test("a disabled account is refused whatever its credential, and tokens and sessions remain until they are ended", async () => {
  using directory = new DatabaseSync(users.idp.directoryFile);
  directory.exec("UPDATE users SET enabled = 0 WHERE username = 'carol@example.test'");
  await poll("the refusal", async () => (await signIn({}, home)).status === 403);
  expect(await signIn(appPassword, home)).toMatchObject({ status: 403 });
  expect(await signIn(token(), home)).toMatchObject({ status: 403 });
  expect((await signInOnPages(home)).status).not.toBe(302);
  expect((await (await users.browserOf("carol", longAgo(), home)).get(accountPage)).status).toBe(200);
  tokens = await mail.refresh(tokens.refresh_token ?? "");
  expect(await signIn(token(), home)).toMatchObject({ status: 403 });
});
