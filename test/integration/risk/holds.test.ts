import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createKeyRing, Secret } from "@postern/shared/platform/crypto";
import { oidcRecordKey } from "@postern/shared/platform/redis";
import { pause, poll, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { digestOfId } from "../../../services/idp/src/oidc/storage/models.ts";
import { askJson } from "../../support/ask-json.ts";
import { type Browser, createBrowser } from "../../support/browser.ts";
import { logLineOf } from "../../support/log-lines.ts";
import { type MailClient, registerMailClient } from "../../support/mail-client.ts";
import { askReplicas, type OidcStack } from "../../support/oidc-stack.ts";
import { claimsOf } from "../../support/oidc-user.ts";
import { askInTurn, relyingParty } from "../../support/relying-party.ts";
import { merged, redisGivenUpSoon } from "../../support/stack-config.ts";
import { callback, follow, issuer } from "../idp/authorization.ts";
import { ageNetworks, atEachEngine, remembered } from "./sign-ins.ts";
import {
  bot,
  confirmPath,
  home,
  justNow,
  login,
  longAgo,
  startUserStack,
  suspiciousPath,
  tokenOf,
  type UserStack,
} from "./user-stack.ts";

/** Unknown to every account, and without a bad reputation. */
const hotel = "203.0.113.7";
const botnet = Array.from({ length: 25 }, (_, index) => `203.0.${index}.7`);
/** The app password is in the demo's directory, and years old. */
const carolsAppPassword = "app-careed-emeapp-asswer-dferca-reprgj";

let folder: Awaited<ReturnType<typeof scratchFolder>>;
let users: UserStack;
let oidc: OidcStack;

const signed = {
  client_id: "signed",
  client_secret: "signed-secret",
  redirect_uris: [callback],
  scopes: ["openid"],
  skip_consent: true,
  access_token_type: "jwt",
};

const mailServer = {
  client_id: "mail-server",
  client_secret: "mail-server-secret",
  resource_server: true,
  scopes: [],
  grant_types: [],
};

beforeAll(async () => {
  folder = await scratchFolder();
  const list = join(folder.path, "listed");
  writeFileSync(list, "198.51.100.0/24 100\n");
  const risk = {
    known_after: "1m",
    reputation_files: [list],
    dangerous: { score: 100, responses: ["hold_submission"] },
  };
  const mail_registration = { enabled: true, per_minute: 1000, max_pending_per_network: 1000 };
  users = await startUserStack(risk, {
    ...merged(redisGivenUpSoon, { auth: { oauthbearer: { enabled: true, issuer, audience: ["signed"] } } }),
    identity: { oidc: { enabled: true, issuer, clients: [signed, mailServer], mail_registration } },
  });
  const { stack, replicas, first, second } = users.idp;
  oidc = {
    stack,
    issuer,
    replicas,
    processes: [first, second],
    ask: askReplicas(replicas),
    [Symbol.asyncDispose]: async () => undefined,
  };
}, 300_000);

afterAll(async () => {
  await users[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

interface Use {
  readonly name: string;
  readonly password: string;
  readonly method?: string;
}

const sendSignIn = ({ name, ...more }: Use, clientIp: string, protocol = "smtp") =>
  askJson(oidc.stack.url, { ...login(name), ...more, protocol, client_ip: clientIp });

const submits = async (use: Use, clientIp: string): Promise<number> => (await sendSignIn(use, clientIp)).status;

const byToken = (name: string, password: string): Use => ({ name, password, method: "xoauth2" });

/** The distinct answers to sign-ins in all of the networks, which reach both engines. Nothing but a hold refuses one. */
async function answers(use: Use, networks: readonly string[], protocol = "smtp"): Promise<readonly number[]> {
  const all = await Promise.all(networks.map((clientIp) => sendSignIn(use, clientIp, protocol)));
  const refused = all.find(({ status }) => status !== 200);
  if (refused !== undefined) {
    const session = refused.headers.get("x-service-session") ?? undefined;
    expect(await logLineOf(oidc.stack.gateway, session, "decided")).toMatchObject({ reason: "risk" });
  }
  return [...new Set(all.map(({ status }) => status))];
}

const often = (clientIp: string): readonly string[] => Array.from({ length: 8 }, () => clientIp);

/** Signs in at home and then, with a correct password, from a network of bad reputation. */
async function takeOver(name: string): Promise<void> {
  const account = login(name).username;
  const use = { name, password: login(name).password };
  expect(await remembered(oidc.stack, { account }, () => submits(use, home))).toBe(200);
  await ageNetworks(oidc.stack, account);
  expect(await remembered(oidc.stack, { account, kind: "review" }, () => submits(use, bot))).toBe(403);
  expect(
    await atEachEngine(
      oidc.stack,
      () => submits(use, hotel),
      (status) => status === 403,
    ),
  ).toHaveLength(2);
}

async function tokensOf(mail: MailClient, browser: Browser) {
  const consent = await mail.toConsent(browser);
  expect(consent.text).toContain('value="allow"');
  return mail.redeem(await follow(browser, await browser.submit(consent, { submit: "allow" })));
}

/** What anyone with the password can do: registers a mail client, signs in on the pages and allows it. */
async function tokensByPassword(name: string) {
  const mail = await registerMailClient(oidc);
  const browser = createBrowser(oidc.replicas, hotel);
  const page = await mail.toConsent(browser);
  await follow(browser, await browser.submit(page, login(name)));
  return { mail, browser, tokens: await tokensOf(mail, browser) };
}

test("what the password alone obtained after the doubt submits from no unknown network; what is older is not held; nothing is revoked", async () => {
  const own = await users.browserOf("alice", longAgo(), home);
  const older = await registerMailClient(oidc);
  const before = await tokensOf(older, own);
  await takeOver("alice");
  const { mail, browser, tokens } = await tokensByPassword("alice");
  const young = byToken("alice", tokens.access_token);
  expect(await answers(young, botnet)).toEqual([403]);
  expect(await answers(young, botnet, "imap")).toEqual([200]);
  expect(await answers(young, often(home))).toEqual([200]);

  // An attacker with the password may read mail with it, and signed in on the pages there: neither makes the network familiar.
  expect(await answers({ name: "alice", password: login("alice").password }, often(hotel), "imap")).toEqual([200]);
  expect(await answers(young, often(hotel))).toEqual([403]);
  expect(await answers({ name: "alice", password: login("alice").password }, often(hotel))).toEqual([403]);

  // Refreshing changes the age of nothing.
  const again = await mail.refresh(tokens.refresh_token ?? "");
  expect(await answers(byToken("alice", again.access_token), botnet)).toEqual([403]);
  const refreshed = await older.refresh(before.refresh_token ?? "");
  for (const token of [before.access_token, refreshed.access_token]) {
    expect(await answers(byToken("alice", token), botnet)).toEqual([200]);
  }

  // A server that introspects a token states neither protocol nor network, so that the hold is not its business.
  const authorization = `Basic ${btoa("mail-server:mail-server-secret")}`;
  const introspection = {
    method: "POST",
    headers: { authorization },
    body: new URLSearchParams({ token: again.access_token }),
  };
  expect((await askInTurn(oidc, "/oidc/introspect", introspection)).body).toMatchObject({ active: true });

  // Signed tokens say themselves when their user signed in.
  const party = relyingParty(oidc, "signed");
  const { body: stolen } = await party.redeem(await party.authorize(browser, { scope: "openid" }));
  const { body: earlier } = await party.redeem(await party.authorize(own, { scope: "openid" }));
  expect(claimsOf(stolen["access_token"])["auth_time"]).toBeGreaterThan(
    Number(claimsOf(earlier["access_token"])["auth_time"]),
  );
  for (const { access_token: token } of [stolen, earlier]) {
    const use = byToken("alice", String(token));
    await poll("the keys at both engines", async () =>
      (await Promise.all(often(home).map((ip) => submits(use, ip)))).every((status) => status === 200),
    );
  }
  expect(await answers(byToken("alice", String(stolen["access_token"])), botnet)).toEqual([403]);
  expect(await answers(byToken("alice", String(earlier["access_token"])), botnet)).toEqual([200]);

  const page = await own.open(suspiciousPath);
  await own.post(confirmPath(page) ?? "", tokenOf(page));
  await poll(
    "the end of the hold",
    async () => (await answers(byToken("alice", again.access_token), often(hotel))).join() === "200",
  );
});

test("app passwords made after the doubt are held, earlier ones are not unless they were themselves used suspiciously", async () => {
  await takeOver("carol");
  const browser = await users.browserOf("carol", justNow(), hotel);
  const created = await browser.submit(await browser.open("/mfa/app-passwords"), { label: "Phone" });
  const young = {
    name: "carol",
    password: /app(?:-[a-z0-9]{6}){5}/u.exec(created.text)?.[0] ?? expect.fail(created.text),
  };
  expect(await answers(young, botnet)).toEqual([403]);
  expect(await answers(young, often(hotel), "imap")).toEqual([200]);
  expect(await answers(young, often(home))).toEqual([200]);
  const old = { name: "carol", password: carolsAppPassword };
  expect(await answers(old, often(hotel))).toEqual([200]);
  // Stolen itself: its first use from the network of the attacker is refused by its own score, and then the hold covers it.
  expect(
    await remembered(oidc.stack, { account: login("carol").username, kind: "review" }, () => submits(old, bot)),
  ).toBe(403);
  expect(await answers(old, often("203.1.0.7"))).toEqual([403]);
  expect(await answers(old, often(home))).toEqual([200]);
});

/** Rewrites a record of the provider. */
async function rewrite(model: string, id: string, change: (record: Record<string, unknown>) => void): Promise<void> {
  const key = oidcRecordKey.build("postern:", model, digestOfId(id));
  const ring = createKeyRing([new Secret("test-encryption-secret")], "oidc");
  const record = Object(
    JSON.parse(ring.open(Buffer.from((await users.redis.get(key)) ?? "", "base64"), key)?.toString("utf8") ?? "{}"),
  );
  change(record);
  await users.redis.set(key, ring.seal(JSON.stringify(record), key).toString("base64"), "KEEPTTL");
}

test("a token without the time of its sign-in is as old as its grant", async () => {
  await takeOver("bob");
  const own = await users.browserOf("bob", longAgo(), home);
  const { access_token: token } = await tokensOf(await registerMailClient(oidc), own);
  let grantId = "";
  await rewrite("AccessToken", token, (record) => {
    grantId = String(record["grantId"]);
    delete record["authTime"];
  });
  const use = byToken("bob", token);
  expect(await answers(use, botnet)).toEqual([403]);
  expect(await answers(use, often(home))).toEqual([200]);
  await rewrite("Grant", grantId, (record) => {
    record["iat"] = Number(record["iat"]) - 3600;
  });
  await poll("the older grant at both engines", async () => (await answers(use, botnet)).join() === "200");
});

test("while Redis hangs nothing is known of a hold, and an app password is refused nowhere", async () => {
  const server = oidc.stack.redis;
  if (server === undefined) throw new Error("no Redis");
  const use = { name: "carol", password: carolsAppPassword };
  expect(await answers(use, often(hotel))).toEqual([403]);
  await pause(server);
  try {
    // Until an engine notices that Redis is silent, it decides by what it has kept.
    await poll("no answer knows of the hold", async () => (await answers(use, often(hotel))).join() === "200");
  } finally {
    server.signal("SIGCONT");
  }
  await poll("the hold", async () => (await answers(use, often(hotel))).join() === "403");
});
