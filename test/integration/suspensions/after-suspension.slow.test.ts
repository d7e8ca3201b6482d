import { DatabaseSync } from "node:sqlite";
import { nameDigest } from "@postern/shared/domain/account-epoch";
import type { RedisClient } from "@postern/shared/platform/redis";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { askJson } from "../../support/ask-json.ts";
import { createBrowser } from "../../support/browser.ts";
import { signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";
import { issuer } from "../idp/authorization.ts";
import { type IdpStack, startIdpStack } from "../idp/idp-stack.ts";

const carol = { username: "carol@example.test", password: "carol-demo-password" };
const alice = { username: "alice@example.test", password: "alice-demo-password" };
const home = "192.0.2.7";
const accountPage = "/mfa/register/home";

let idp: IdpStack;
let redis: RedisClient;

beforeAll(async () => {
  const settings = { identity: { oidc: { enabled: true, issuer } } };
  idp = await startIdpStack(settings, { engines: 2, idps: 1, order: ["cache", "sql"], services: ["admin"] });
  redis = await testRedis(idp.stack.redis?.port ?? 0);
}, 300_000);

afterAll(async () => {
  redis.disconnect();
  await idp[Symbol.asyncDispose]();
});

async function atEveryEngine(count: number): Promise<void> {
  await poll(`${count} suspended accounts at every engine`, async () => {
    const pages = await Promise.all(idp.stack.engines.map((engine) => engine.metrics()));
    return pages.every((page) => page.includes(`service_suspended_accounts ${count}\n`));
  });
}

async function change(method: "POST" | "DELETE", count: number): Promise<void> {
  const { status } = await askAdmin(idp.stack, method, "/api/v1/suspensions", { body: { username: carol.username } });
  expect(status).toBe(200);
  await atEveryEngine(count);
}

const suspend = () => change("POST", 1);
const resume = () => change("DELETE", 0);

/** The one status of enough sign-ins for both engines to decide some; all of them, if they differ. */
async function signIn(password = carol.password): Promise<number | readonly number[] | undefined> {
  const request = { protocol: "imap", client_ip: home, ...carol, password };
  const answers = await Promise.all(Array.from({ length: 8 }, () => askJson(idp.stack.url, request)));
  const statuses = [...new Set(answers.map(({ status }) => status))];
  return statuses.length === 1 ? statuses[0] : statuses;
}

test("no cached result from before or during the suspension is used after it", async () => {
  const cached = () => redis.keys(`postern:result:{${nameDigest(carol.username)}}:*`);
  expect(await signIn()).toBe(200);
  await poll("a cached result", async () => (await cached()).length > 0);
  using database = new DatabaseSync(idp.directoryFile);
  const passwordOf = database.prepare("SELECT password FROM users WHERE username = ?");
  const write = database.prepare("UPDATE users SET password = ? WHERE username = ?");
  const before = passwordOf.get(carol.username)?.["password"] ?? "";
  await suspend();
  expect(await cached()).toEqual([]);
  expect(await signIn()).toBe(403);
  write.run(passwordOf.get(alice.username)?.["password"] ?? "", carol.username);
  await resume();
  expect(await signIn()).toBe(403);
  expect(await signIn(alice.password)).toBe(200);
  // What the test has cached is removed, too.
  await suspend();
  write.run(before, carol.username);
  await resume();
});

test("an account whose request to end its access was lost has no session left", async () => {
  const browser = createBrowser(idp.replicas, home);
  browser.cookies.set("service_session", (await signedIn(redis, carol.username)).split("=")[1] ?? "");
  expect((await browser.get(accountPage)).status).toBe(200);
  const [index = ""] = await redis.keys("postern:session:account:*");
  const carolsSessions = () => redis.zcard(index);
  expect(await carolsSessions()).toBeGreaterThan(0);
  const value = { account: carol.username, sinceMs: Date.now(), by: "ada", session: "lost" };
  await redis.hset("postern:suspensions", { [carol.username]: `0 ${JSON.stringify(value)}`, "": `${Date.now()}001` });
  await atEveryEngine(1);
  await poll("the end of its session", async () => (await carolsSessions()) === 0);
  // As if time had ended the suspension.
  await redis.hset("postern:suspensions", { [carol.username]: "0 null", "": `${Date.now()}002` });
  await atEveryEngine(0);
  expect((await browser.get(accountPage)).location).toContain("/login");
});
