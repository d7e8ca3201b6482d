import type { DatabaseSync } from "node:sqlite";
import type { ConsoleActionId, ConsoleRole } from "@postern/shared/contracts";
import { createRememberedDevices, newCookieEntry } from "@postern/shared/domain/remembered-devices";
import { createKeyRing, Secret } from "@postern/shared/platform/crypto";
import type { RedisClient } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import { poll } from "@postern/testing";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { expect } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { alice, askJson } from "../../support/ask-json.ts";
import { testRedis } from "../../support/redis-content.ts";
import type { ConsoleStack } from "./console-stack.ts";

export const account = alice.username;
export const inEnglish = { locale: "en-US" };
/** An app password of the demo; the row is written for the account of this test. */
const appPassword = "app-careed-emeapp-asswer-dferca-reprgj";
const [appPasswordId, passkeyId] = ["ca401ca401ca4010", "AQID"];

/** A console with two engines, and the customer's side of it. */
export interface Site {
  readonly desk: ConsoleStack;
  readonly browser: Browser;
  readonly directory: DatabaseSync;
}

/** One action of one role. `address` is not used by another. */
export interface Case extends Site {
  readonly id: ConsoleActionId;
  readonly role: ConsoleRole;
  readonly address: string;
  readonly customers: BrowserContext[];
}

interface Effect {
  /** Brings about what the action ends. */
  readonly prepare: (about: Case) => Promise<void>;
  /** What engines and services answer now. */
  readonly state: (about: Case) => Promise<unknown>;
  readonly before: unknown;
  readonly after: unknown;
  /** What is listed on the account page beside the action, if it is about one thing. */
  readonly thing?: string;
  readonly item?: string;
  /** The audit event of the operation that carries the action out. */
  readonly event: string;
}

const login = ({ desk }: Site, fields: object) => askJson(desk.stack.url, { ...alice, ...fields });

/** Decisions of each engine. */
async function decided({ desk }: Site): Promise<readonly number[]> {
  const pages = await Promise.all(desk.stack.engines.map((engine) => engine.metrics()));
  return pages.map((page) => {
    const counts = page.matchAll(/^service_engine_decision_seconds_count\{.*\} (\d+)$/gmu);
    return counts.reduce((sum, [, count]) => sum + Number(count), 0);
  });
}

/** Repeats a sign-in until each engine has decided one. */
async function statusesOf(site: Site, fields: object): Promise<readonly number[]> {
  const before = await decided(site);
  const seen = new Set<number>();
  await poll("a decision of each engine", async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => login(site, fields)));
    for (const { status } of answers) seen.add(status);
    const now = await decided(site);
    return now.every((count, index) => count > (before[index] ?? 0));
  });
  return [...seen].toSorted((one, other) => one - other);
}

const management = ({ desk }: Site, method: string, path: string, body?: object) =>
  askAdmin(desk.stack, method, `/api/v1/mfa-backchannel/${path}`, body === undefined ? {} : { body });

/** A member of what both engines say about the factors: enough answers for each to give one. */
async function factors(site: Site, member: string): Promise<readonly unknown[]> {
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => management(site, "GET", `factors?username=${account}`)),
  );
  return [...new Set(answers.map(({ body }) => JSON.stringify(body[member])))].map((text) => JSON.parse(text));
}

async function written(site: Site, path: string, body: object): Promise<void> {
  expect((await management(site, "POST", path, { username: account, ...body })).status).toBe(200);
}

async function enterPassword({ desk }: Site, context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${desk.issuer}/mfa/register/home`);
  await page.getByLabel("Username or email address").fill(account);
  await page.getByLabel("Password", { exact: true }).fill(alice.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  return page;
}

async function signInAt(about: Case, userAgents: readonly string[]): Promise<void> {
  for (const userAgent of userAgents) {
    const context = await about.browser.newContext({ ...inEnglish, userAgent });
    about.customers.push(context);
    await (await enterPassword(about, context)).getByRole("heading", { name: "Your account" }).waitFor();
  }
}

async function pathsOf({ customers }: Case): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const context of customers) {
    const [page] = context.pages();
    await page?.reload();
    paths.push(new URL(page?.url() ?? "none:").pathname);
  }
  return paths;
}

async function withRedis<Result>(
  { stack }: ConsoleStack,
  work: (redis: RedisClient) => Promise<Result>,
): Promise<Result> {
  const redis = await testRedis(stack.redis?.port ?? 0);
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

const codesIn = (redis: RedisClient): Promise<string[]> => redis.keys("*console:invitation:*");

function devicesIn(redis: RedisClient) {
  const keys = createKeyRing([new Secret("test-encryption-secret")], "remembered-device");
  return createRememberedDevices({ redis, keyPrefix: "postern:", keys, clock: systemClock, lifeMs: 3_600_000 });
}

const otherPassword = "UPDATE users SET password = (SELECT password FROM users WHERE uid = 'bob') WHERE uid = 'alice'";
const [signedIn, signedOut] = ["/mfa/register/home", "/login"];
const secret = { totp_secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" };
const credential = (id: string, name: string) => ({
  credential: JSON.stringify({ id, publicKey: "b3BlbiBzZXNhbWU", signCount: 1, name }),
});
const withApp = ({ address }: Case) => ({ client_ip: address, password: appPassword });

export const effects: Readonly<Record<ConsoleActionId, Effect>> = {
  unban: {
    prepare: async (about) => {
      const { address: client_ip } = about;
      for (let count = 0; count < 3; count += 1) await login(about, { client_ip, password: `wrong-${count}` });
    },
    state: (about) => statusesOf(about, { client_ip: about.address }),
    before: [403],
    after: [200],
    event: "brute_force.flush",
  },
  flush: {
    // The old password still works, because each engine has a cached result.
    prepare: async (about) => {
      await statusesOf(about, { client_ip: about.address });
      about.directory.exec(otherPassword);
    },
    state: (about) => statusesOf(about, { client_ip: about.address }),
    before: [200],
    after: [403],
    event: "cache.flush",
  },
  unlock: {
    prepare: async (about) => {
      await written(about, "totp", secret);
      const context = await about.browser.newContext(inEnglish);
      about.customers.push(context);
      const page = await enterPassword(about, context);
      await page.getByLabel("Six-digit code").fill("000000");
      await page.getByRole("button", { name: "Verify", exact: true }).click();
      await page.getByRole("alert").waitFor();
    },
    state: async ({ desk }) => {
      const { body } = await askAdmin(desk.stack, "POST", "/api/v1/console/account", { body: { account } });
      return Object(body["factors"]).wrong_codes;
    },
    before: { totp: 1 },
    after: {},
    event: "second_factor.unlock",
  },
  "forget-devices": {
    prepare: ({ desk }) =>
      withRedis(desk, async (redis) => {
        const devices = devicesIn(redis);
        const entry = newCookieEntry();
        const check = devices.passwordCheck(account, entry, new Secret(alice.password));
        await devices.remember(account, { entry, check }, { userAgent: "Remembered browser", clientIp: "" });
      }),
    state: ({ desk }) => withRedis(desk, async (redis) => (await devicesIn(redis).list(account)).length),
    before: 1,
    after: 0,
    event: "remembered_device.end",
  },
  suspend: {
    prepare: (about) => signInAt(about, ["First browser", "Second browser"]),
    state: async (about) => [await statusesOf(about, { client_ip: about.address }), await pathsOf(about)],
    before: [[200], [signedIn, signedIn]],
    after: [[403], [signedOut, signedOut]],
    event: "account.suspend",
  },
  resume: {
    prepare: async ({ desk }) =>
      void (await askAdmin(desk.stack, "POST", "/api/v1/suspensions", { body: { username: account } })),
    state: (about) => statusesOf(about, { client_ip: about.address }),
    before: [403],
    after: [200],
    event: "account.resume",
  },
  invite: {
    prepare: async ({ desk }) =>
      withRedis(desk, async (redis) => void (await redis.del(...(await codesIn(redis)), "-"))),
    state: ({ desk }) => withRedis(desk, async (redis) => (await codesIn(redis)).length),
    before: 0,
    after: 1,
    event: "console.invite",
  },
  "end-sessions": {
    prepare: (about) => signInAt(about, ["First browser", "Second browser"]),
    state: pathsOf,
    before: [signedIn, signedIn],
    after: [signedOut, signedOut],
    event: "session.end",
  },
  "end-session": {
    prepare: (about) => signInAt(about, ["First browser", "Second browser"]),
    state: pathsOf,
    before: [signedIn, signedIn],
    after: [signedOut, signedIn],
    thing: "First browser",
    event: "session.end",
  },
  // Not offered here; test/integration/idp/lost-phone.slow.test.ts has it.
  "lost-phone": {
    prepare: async () => undefined,
    state: async () => 0,
    before: 0,
    after: 0,
    event: "lost_phone.create",
  },
  "reset-totp": {
    prepare: (about) => written(about, "totp", secret),
    state: (about) => factors(about, "totp"),
    before: [true],
    after: [false],
    thing: "Authenticator app",
    event: "second_factor.remove",
  },
  "reset-recovery": {
    prepare: (about) => written(about, "totp/recovery-codes", { codes: ["AAAA-2222", "BBBB-3333"] }),
    state: (about) => factors(about, "recovery_codes_left"),
    before: [2],
    after: [0],
    thing: "Recovery codes",
    event: "second_factor.remove",
  },
  "remove-passkey": {
    prepare: async (about) => {
      await written(about, "webauthn/credential", credential(passkeyId, "first key"));
      await written(about, "webauthn/credential", credential("BAUG", "second key"));
    },
    state: (about) => factors(about, "passkeys"),
    before: [[expect.objectContaining({ id: passkeyId }), expect.objectContaining({ id: "BAUG" })]],
    after: [[expect.objectContaining({ id: "BAUG" })]],
    thing: "first key",
    item: passkeyId,
    event: "second_factor.remove",
  },
  "remove-app-password": {
    prepare: async ({ directory }) => {
      directory.exec(
        `INSERT INTO postern_app_passwords (account, id, digest, label, protocols, created_at) SELECT '${account}', id, digest, label, protocols, created_at FROM postern_app_passwords WHERE account = 'carol@example.test'`,
      );
    },
    state: (about) => statusesOf(about, withApp(about)),
    before: [200],
    after: [403],
    thing: "demo phone",
    item: appPasswordId,
    event: "app_password.delete",
  },
};

/** What a case has changed and another one must not find. */
export async function tidy({ desk, directory, customers }: Case, password: string): Promise<void> {
  for (const context of customers) await context.close();
  directory.prepare("UPDATE users SET password = ?, totp_secret = NULL WHERE uid = 'alice'").run(password);
  for (const table of ["recovery_codes", "webauthn", "app_passwords"])
    directory.exec(`DELETE FROM postern_${table} WHERE account = '${account}'`);
  await askAdmin(desk.stack, "DELETE", "/api/v1/suspensions", { body: { username: account } });
  await askAdmin(desk.stack, "DELETE", `/api/v1/oidc/sessions/${account}`);
  await askAdmin(desk.stack, "DELETE", "/api/v1/cache/flush", { body: { user: account } });
}
