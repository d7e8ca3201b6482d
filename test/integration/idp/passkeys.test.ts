/* oxlint-disable unicorn/no-thenable -- a key of the configuration is named so; it holds no function */
import { DatabaseSync } from "node:sqlite";
import { digestOf } from "@postern/shared/platform/crypto";
import { passkeyAttemptsKey } from "@postern/shared/platform/redis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Browser, createBrowser, hiddenFields, type Page } from "../../support/browser.ts";
import { testRedis } from "../../support/redis-content.ts";
import { createSoftAuthenticator, type SoftAuthenticator } from "../../support/soft-authenticator.ts";
import { issuer, passwordStep, publicClient } from "./authorization.ts";
import { type IdpStack, startIdpStack } from "./idp-stack.ts";

let idp: IdpStack;
const home = "/mfa/register/home";
const csrfIn = (page: Page): string => hiddenFields(page)["csrf_token"] ?? "";

beforeAll(async () => {
  idp = await startIdpStack(
    {
      identity: {
        oidc: {
          enabled: true,
          issuer,
          clients: [publicClient("delayed", { delayed_response: true, supported_mfa: ["webauthn"] })],
        },
      },
      auth: {
        policy: {
          policies: [
            {
              name: "not-from-there",
              operations: ["authenticate", "lookup_identity"],
              if: { attribute: "request.client.ip", cidr_contains: ["198.51.100.0/24"] },
              then: { decision: "deny" },
            },
          ],
        },
      },
    },
    { gateway: false },
  );
});

afterAll(() => idp[Symbol.asyncDispose]());

async function fetchPublicKeyOptions(browser: Browser, path: string): Promise<unknown> {
  return Object(JSON.parse((await browser.get(path)).text)).publicKey;
}

async function finish(browser: Browser, path: string, token: string, body: object): Promise<readonly unknown[]> {
  const headers = { "content-type": "application/json", "x-csrf-token": token };
  const page = await browser.send(path, { method: "POST", headers, body: JSON.stringify(body) });
  return [page.status, JSON.parse(page.text)];
}

/** Signs in with the password and adds a passkey. */
async function addPasskey(name: string): Promise<{ readonly browser: Browser; readonly key: SoftAuthenticator }> {
  const browser = createBrowser(idp.replicas);
  const login = await browser.open(home);
  await browser.submit(login, { username: `${name}@example.test`, password: `${name}-demo-password` });
  const key = createSoftAuthenticator({ origin: issuer, rpId: "localhost" });
  const token = csrfIn(await browser.get("/mfa/app-passwords"));
  const credential = key.create(await fetchPublicKeyOptions(browser, "/mfa/webauthn/register/begin"));
  const result = await finish(browser, "/mfa/webauthn/register/finish", token, { name: "Laptop", credential });
  // After the first factor, recovery codes are offered to a user who has none.
  expect(result).toEqual([200, { redirect: expect.stringMatching(/^\/mfa\/(webauthn\/devices|recovery\/register)$/) }]);
  return { browser, key };
}

/** Signs the browser out and enters a wrong password for the application with `delayed_response`. */
async function enterWrongPassword(browser: Browser, name: string): Promise<Page> {
  browser.cookies.delete("service_session");
  return passwordStep(browser, "delayed", { username: `${name}@example.test`, password: "wrong" });
}

/** Signs in with the passkey alone, in a new browser. */
async function signInWithPasskey(key: SoftAuthenticator, clientIp?: string) {
  const browser = createBrowser(idp.replicas, clientIp);
  const login = await browser.open(home);
  const begin = login.url.replace("/login?", "/login/webauthn/begin?");
  const credential = key.get(await fetchPublicKeyOptions(browser, begin));
  const result = await finish(browser, "/login/webauthn/finish", csrfIn(login), { credential });
  return { result, isIn: browser.cookies.has("service_session") };
}

const accepted = { result: [200, { redirect: home }], isIn: true };
const denied = { result: [400, { error: "denied", reference: expect.any(String) }], isIn: false };

test("a passkey signs in, unless a policy denies it or the account is disabled", async () => {
  const { key } = await addPasskey("alice");
  expect(await signInWithPasskey(key)).toEqual(accepted);
  expect(await signInWithPasskey(key, "198.51.100.7")).toEqual(denied);
  expect(
    await signInWithPasskey(createSoftAuthenticator({ origin: issuer, rpId: "localhost" })).catch(() => denied),
  ).toEqual(denied);
  using backend = new DatabaseSync(idp.directoryFile);
  const setEnabled = backend.prepare("UPDATE users SET enabled = ? WHERE username = 'alice@example.test'");
  setEnabled.run(0);
  expect(await signInWithPasskey(key)).toEqual(denied);
  setEnabled.run(1);
  expect(await signInWithPasskey(key)).toEqual(accepted);
});

test("the browser may drop a passkey that was removed, and learns nothing about any other", async () => {
  const { browser, key } = await addPasskey("carol");
  const stranger = createSoftAuthenticator({ origin: issuer, rpId: "localhost" });
  stranger.create({ ...Object(await fetchPublicKeyOptions(browser, "/mfa/webauthn/register/begin")) });
  expect(await signInWithPasskey(stranger)).toEqual(denied);
  const { path } = await readPasskeys(browser);
  const token = csrfIn(await browser.get("/mfa/webauthn/devices"));
  await browser.post(path, { csrf_token: token, _method: "DELETE" });
  expect(await signInWithPasskey(key)).toEqual({
    result: [400, { error: "denied", reference: expect.any(String), unknown_credential: true }],
    isIn: false,
  });
  expect(await signInWithPasskey(stranger)).toEqual(denied);
});

interface Listed {
  readonly names: readonly string[];
  readonly path: string;
}

/** The names on the passkeys page, and the path of the first passkey. */
async function readPasskeys(browser: Browser): Promise<Listed> {
  const { text } = await browser.get("/mfa/webauthn/devices");
  const [, path = ""] = /action="(\/mfa\/webauthn\/device\/[\w-]+)\/name"/.exec(text) ?? [];
  return { names: ["Laptop", "One", "Two", "Three"].filter((name) => text.includes(name)), path };
}

test("a passkey that is renamed in parallel has one of the names, and a parallel deletion removes it", async () => {
  const { browser, key } = await addPasskey("carol");
  const token = csrfIn(await browser.get("/mfa/webauthn/devices"));
  const { path } = await readPasskeys(browser);
  const rename = (name: string): Promise<Page> => browser.post(`${path}/name`, { csrf_token: token, name });
  for (let round = 0; round < 3; round += 1) {
    const answers = await Promise.all(["One", "Two", "Three"].map(rename));
    expect(answers.map(({ status }) => status)).toEqual([302, 302, 302]);
    expect((await readPasskeys(browser)).names).toHaveLength(1);
  }
  // A sign-in updates the passkey at the same time; both changes are kept.
  const [used] = await Promise.all([signInWithPasskey(key), rename("One")]);
  expect([used, (await readPasskeys(browser)).names]).toEqual([accepted, ["One"]]);
  const removal = { csrf_token: token, _method: "DELETE" };
  await Promise.all([rename("Two"), browser.post(path, removal), rename("Three")]);
  expect((await readPasskeys(browser)).names).toEqual([]);
  expect((await browser.get("/mfa/webauthn/devices")).text).toContain("You don’t have any passkeys yet");
});

test("the page that removes one passkey is served in every language that it links to", async () => {
  const { browser } = await addPasskey("carol");
  const { path } = await readPasskeys(browser);
  const removal = await browser.get(`${path}/remove`);
  const links = [...removal.text.matchAll(/href="([^"]*)"[^>]*hreflang="/gu)].map(([, href = ""]) => href);
  expect(links).toContain(`${path}/remove/de`);
  const pages = await Promise.all(links.map((href) => browser.get(href)));
  expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await browser.get(`${path}/remove/x`)).status).toBe(404);
  // Later tests sign in with the password alone.
  await browser.post(path, { csrf_token: csrfIn(removal), _method: "DELETE" });
});

test("after a wrong password, a valid passkey is rejected with 401 and the user returns to the first page", async () => {
  const { browser, key } = await addPasskey("carol");
  const page = await enterWrongPassword(browser, "carol");
  expect(page.url).toMatch(/^\/login\/webauthn\?/);
  const begin = page.url.replace("/login/webauthn?", "/login/webauthn/begin?");
  const [, token = ""] = /data-csrf="([^"]+)"/.exec(page.text) ?? [];
  const credential = key.get(await fetchPublicKeyOptions(browser, begin));
  const [status, body] = await finish(browser, "/login/webauthn/finish", token, { credential });
  expect([status, body]).toEqual([401, { redirect: expect.stringMatching(/^\/login\?flow=/) }]);
  expect((await browser.open(Object(body).redirect)).text).toContain("Incorrect username or password");
  expect(browser.cookies.has("service_session")).toBe(false);
});

/** A passkey response with this user handle, signed with a key that is not registered. */
async function finishUnknownPasskey(clientIp: string, handle: string) {
  const browser = createBrowser(idp.replicas, clientIp);
  const login = await browser.open(home);
  const publicKey = await fetchPublicKeyOptions(browser, login.url.replace("/login?", "/login/webauthn/begin?"));
  const key = createSoftAuthenticator({ origin: issuer, rpId: "localhost" });
  key.create({ challenge: "unused", user: { id: Buffer.from(handle).toString("base64url") } });
  return finish(browser, "/login/webauthn/finish", csrfIn(login), { credential: key.get(publicKey) });
}

test("a passkey is rejected after a fixed time, which does not reveal whether the account exists", async () => {
  for (const handle of ["alice@example.test", "nobody@example.test"]) {
    const startedMs = performance.now();
    expect(await finishUnknownPasskey("203.0.113.76", handle)).toMatchObject([400, { error: "denied" }]);
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(250);
  }
});

test("denies unknown passkeys, and rate-limits them per network", async () => {
  const attempts = Array.from({ length: 60 }, (_, count) =>
    finishUnknownPasskey("203.0.113.77", count % 2 === 0 ? `nobody-${count}@example.test` : "alice@example.test"),
  );
  for (const answer of await Promise.all(attempts)) expect(answer).toMatchObject([400, { error: "denied" }]);
  expect(await finishUnknownPasskey("203.0.113.77", "nobody@example.test")).toMatchObject([
    400,
    { error: "throttled" },
  ]);
  // The limit does not apply to accounts: other networks are not rate-limited.
  expect(await finishUnknownPasskey("203.0.113.78", "alice@example.test")).toMatchObject([400, { error: "denied" }]);
});

test("successful passkeys and passkeys that could not be verified do not count towards the limit of an address", async () => {
  using backend = new DatabaseSync(idp.directoryFile);
  backend.exec("DELETE FROM postern_webauthn WHERE account = 'alice@example.test'");
  const { key } = await addPasskey("alice");
  const office = "203.0.113.90";
  for (let count = 0; count < 62; count += 1) expect(await signInWithPasskey(key, office)).toEqual(accepted);
  const redis = await testRedis(idp.stack.redis?.port ?? 0);
  const name = passkeyAttemptsKey.build("postern:", digestOf(office).toString("base64url"));
  expect(await redis.get(name)).toBe("0");
  const browser = createBrowser(idp.replicas, office);
  const login = await browser.open(home);
  const credential = key.get(
    await fetchPublicKeyOptions(browser, login.url.replace("/login?", "/login/webauthn/begin?")),
  );
  for (const engine of idp.stack.engines) engine.signal("SIGSTOP");
  const headers = { "content-type": "application/json", "x-csrf-token": csrfIn(login) };
  const body = JSON.stringify({ credential });
  const answer = await browser.send("/login/webauthn/finish", { method: "POST", headers, body });
  for (const engine of idp.stack.engines) engine.signal("SIGCONT");
  expect([answer.status, await redis.get(name)]).toEqual([500, "0"]);
  redis.disconnect();
});
