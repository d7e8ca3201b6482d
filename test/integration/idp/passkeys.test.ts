/* oxlint-disable unicorn/no-thenable -- a key of the configuration is named so; it holds no function */
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Browser, createBrowser, type Page } from "../../support/browser.ts";
import { testRedis } from "../../support/redis-content.ts";
import { createSoftAuthenticator } from "../../support/soft-authenticator.ts";
import { issuer, passwordStep, publicClient } from "./authorization.ts";
import { type IdpStack, startIdpStack } from "./idp-stack.ts";
import {
  addOldPasskey,
  addPasskey,
  beginAnother,
  beginRegistration,
  csrfIn,
  fetchPublicKeyOptions,
  finish,
  home,
  rename,
  signInWithPasskey,
} from "./passkey-steps.ts";

let idp: IdpStack;

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
    { gateway: false, shape: "five" },
  );
});

afterAll(() => idp[Symbol.asyncDispose]());

/** Signs the browser out and enters a wrong password for the application with `delayed_response`. */
async function enterWrongPassword(browser: Browser, name: string): Promise<Page> {
  browser.cookies.delete("service_session");
  return passwordStep(browser, "delayed", { username: `${name}@example.test`, password: "wrong" });
}

const accepted = { result: [200, { redirect: home }], isIn: true };
const denied = { result: [400, { error: "denied", reference: expect.any(String) }], isIn: false };

test("a passkey signs in, unless a policy denies it or the account is disabled", async () => {
  const { key } = await addPasskey(idp, "alice");
  expect(await signInWithPasskey(idp, key)).toEqual(accepted);
  expect(await signInWithPasskey(idp, key, "198.51.100.7")).toEqual(denied);
  expect(
    await signInWithPasskey(idp, createSoftAuthenticator({ origin: issuer, rpId: "localhost" })).catch(() => denied),
  ).toEqual(denied);
  using backend = new DatabaseSync(idp.directoryFile);
  const setEnabled = backend.prepare("UPDATE users SET enabled = ? WHERE username = 'alice@example.test'");
  setEnabled.run(0);
  expect(await signInWithPasskey(idp, key)).toEqual(denied);
  setEnabled.run(1);
  expect(await signInWithPasskey(idp, key)).toEqual(accepted);
});

test("the browser may drop a passkey that was removed, and learns nothing about any other", async () => {
  const { browser, key } = await addPasskey(idp, "carol");
  const stranger = createSoftAuthenticator({ origin: issuer, rpId: "localhost" });
  stranger.create({ ...Object(await fetchPublicKeyOptions(browser, "/mfa/webauthn/register/begin")) });
  expect(await signInWithPasskey(idp, stranger)).toEqual(denied);
  const { path } = await readPasskeys(browser);
  const token = csrfIn(await browser.get("/mfa/webauthn/devices"));
  await browser.post(path, { csrf_token: token, _method: "DELETE" });
  expect(await signInWithPasskey(idp, key)).toEqual({
    result: [400, { error: "denied", reference: expect.any(String), unknown_credential: true }],
    isIn: false,
  });
  expect(await signInWithPasskey(idp, stranger)).toEqual(denied);
});

test("the user handle is random, is the same for all passkeys of an account, and does not depend on Redis", async () => {
  using backend = new DatabaseSync(idp.directoryFile);
  backend.exec("DELETE FROM postern_webauthn");
  const first = await beginRegistration(idp, "alice");
  const { id } = first.options.user;
  expect(Buffer.from(id, "base64url")).toHaveLength(32);
  expect(Buffer.from(id, "base64url").toString("latin1")).not.toContain("alice");
  const key = createSoftAuthenticator({ origin: issuer, rpId: "localhost" });
  const credential = key.create(first.options);
  const body = { name: "Laptop", credential };
  expect(await finish(first.browser, "/mfa/webauthn/register/finish", first.token, body)).toMatchObject([200, {}]);
  const redis = await testRedis(idp.stack.redis?.port ?? 0);
  await redis.flushall();
  redis.disconnect();
  const { options } = await beginAnother(idp, key);
  expect(options.user.id).toBe(id);
  expect((await beginRegistration(idp, "carol")).options.user.id).not.toBe(id);
});

test("after a rename, new and old passkeys sign in the account that holds them", async () => {
  using backend = new DatabaseSync(idp.directoryFile);
  backend.exec("DELETE FROM postern_webauthn");
  const old = await addOldPasskey(idp, backend, "alice");
  expect(await signInWithPasskey(idp, old)).toEqual(accepted);
  backend.exec("DELETE FROM postern_webauthn");
  const { key } = await addPasskey(idp, "alice");
  expect(await signInWithPasskey(idp, key)).toEqual(accepted);
  rename(backend, "alice@example.test", "alice.liddell@example.test");
  expect(await signInWithPasskey(idp, key)).toEqual(accepted);
  rename(backend, "alice.liddell@example.test", "alice@example.test");
  backend.exec("DELETE FROM postern_webauthn");
  const older = await addOldPasskey(idp, backend, "alice");
  rename(backend, "alice@example.test", "alice.liddell@example.test");
  expect(await signInWithPasskey(idp, older)).toEqual(accepted);
  rename(backend, "alice.liddell@example.test", "alice@example.test");
  backend.exec("DELETE FROM postern_webauthn");
});

test("a credential that other software wrote, with its id behind other members, is found by the name in its handle", async () => {
  using backend = new DatabaseSync(idp.directoryFile);
  backend.exec("DELETE FROM postern_webauthn");
  const key = await addOldPasskey(idp, backend, "carol");
  backend.exec(`UPDATE postern_webauthn SET credential =
    '{"name":"Theirs",' || substr(credential, 2)`);
  expect(await signInWithPasskey(idp, key)).toEqual(accepted);
  backend.exec("DELETE FROM postern_webauthn");
});

test("a passkey whose handle is not the one that was stored with it is rejected", async () => {
  using backend = new DatabaseSync(idp.directoryFile);
  const { browser, token, options } = await beginRegistration(idp, "carol");
  const key = createSoftAuthenticator({ origin: issuer, rpId: "localhost" });
  const credential = key.create({ ...options, user: { ...options.user, id: "b3RoZXI" } });
  const body = { name: "Other", credential };
  expect(await finish(browser, "/mfa/webauthn/register/finish", token, body)).toMatchObject([200, {}]);
  expect(await signInWithPasskey(idp, key)).toEqual(denied);
  backend.exec("DELETE FROM postern_webauthn");
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
  const { browser, key } = await addPasskey(idp, "carol");
  const token = csrfIn(await browser.get("/mfa/webauthn/devices"));
  const { path } = await readPasskeys(browser);
  const rename = (name: string): Promise<Page> => browser.post(`${path}/name`, { csrf_token: token, name });
  for (let round = 0; round < 3; round += 1) {
    const answers = await Promise.all(["One", "Two", "Three"].map(rename));
    expect(answers.map(({ status }) => status)).toEqual([302, 302, 302]);
    expect((await readPasskeys(browser)).names).toHaveLength(1);
  }
  // A sign-in updates the passkey at the same time; both changes are kept.
  const [used] = await Promise.all([signInWithPasskey(idp, key), rename("One")]);
  expect([used, (await readPasskeys(browser)).names]).toEqual([accepted, ["One"]]);
  const removal = { csrf_token: token, _method: "DELETE" };
  await Promise.all([rename("Two"), browser.post(path, removal), rename("Three")]);
  expect((await readPasskeys(browser)).names).toEqual([]);
  expect((await browser.get("/mfa/webauthn/devices")).text).toContain("You don’t have any passkeys yet");
});

test("the page that removes one passkey is served in every language that it links to", async () => {
  const { browser } = await addPasskey(idp, "carol");
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
  const { browser, key } = await addPasskey(idp, "carol");
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
