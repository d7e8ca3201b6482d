/* oxlint-disable unicorn/no-thenable -- a key of the configuration is named so; it holds no function */
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Browser, createBrowser, hiddenFields, type Page } from "../../support/browser.ts";
import { createSoftAuthenticator, type SoftAuthenticator } from "../../support/soft-authenticator.ts";
import { type IdpStack, startIdpStack } from "./idp-stack.ts";

let idp: IdpStack;
const issuer = "http://localhost:8080";
const callback = "http://127.0.0.1:8090/callback";
const home = "/mfa/register/home";
const csrfIn = (page: Page): string => hiddenFields(page)["csrf_token"] ?? "";

beforeAll(async () => {
  const client = {
    client_id: "delayed",
    token_endpoint_auth_method: "none",
    redirect_uris: [callback],
    scopes: ["openid"],
    skip_consent: true,
    delayed_response: true,
    supported_mfa: ["webauthn"],
  };
  idp = await startIdpStack({
    identity: { oidc: { enabled: true, issuer, clients: [client] } },
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
  });
});

afterAll(() => idp[Symbol.asyncDispose]());

async function asked(browser: Browser, path: string): Promise<unknown> {
  return Object(JSON.parse((await browser.get(path)).text)).publicKey;
}

async function finish(browser: Browser, path: string, token: string, body: object): Promise<readonly unknown[]> {
  const headers = { "content-type": "application/json", "x-csrf-token": token };
  const page = await browser.send(path, { method: "POST", headers, body: JSON.stringify(body) });
  return [page.status, JSON.parse(page.text)];
}

/** Signs in by password and adds a passkey. */
async function withPasskey(name: string): Promise<{ readonly browser: Browser; readonly key: SoftAuthenticator }> {
  const browser = createBrowser(idp.replicas);
  const login = await browser.open(home);
  await browser.submit(login, { username: `${name}@example.test`, password: `${name}-demo-password` });
  const key = createSoftAuthenticator({ origin: issuer, rpId: "localhost" });
  const token = csrfIn(await browser.get("/mfa/app-passwords"));
  const credential = key.create(await asked(browser, "/mfa/webauthn/register/begin"));
  const told = await finish(browser, "/mfa/webauthn/register/finish", token, { name: "Laptop", credential });
  expect(told).toEqual([200, { redirect: "/mfa/webauthn/devices" }]);
  return { browser, key };
}

/** A wrong password for an application with `delayed_response`; the browser is signed out before. */
async function wrongPassword(browser: Browser, name: string): Promise<Page> {
  browser.cookies.delete("service_session");
  const query = new URLSearchParams({
    client_id: "delayed",
    redirect_uri: callback,
    response_type: "code",
    scope: "openid",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
  });
  const begun = await browser.get(`/oidc/authorize?${query.toString()}`);
  const login = await browser.open((begun.location ?? "").replace(issuer, ""));
  const answer = await browser.submit(login, { username: `${name}@example.test`, password: "wrong" });
  return browser.open(answer.location ?? "");
}

/** Without a name, from a browser that is signed out. */
async function passkeySignIn(key: SoftAuthenticator, clientIp?: string) {
  const browser = createBrowser(idp.replicas, clientIp);
  const login = await browser.open(home);
  const begin = login.url.replace("/login?", "/login/webauthn/begin?");
  const credential = key.get(await asked(browser, begin));
  const told = await finish(browser, "/login/webauthn/finish", csrfIn(login), { credential });
  return { told, isIn: browser.cookies.has("service_session") };
}

const in200 = { told: [200, { redirect: home }], isIn: true };
const denied = { told: [400, { error: "denied" }], isIn: false };

test("a passkey signs in, but neither against a policy nor an account that was disabled since", async () => {
  const { key } = await withPasskey("alice");
  expect(await passkeySignIn(key)).toEqual(in200);
  expect(await passkeySignIn(key, "198.51.100.7")).toEqual(denied);
  expect(
    await passkeySignIn(createSoftAuthenticator({ origin: issuer, rpId: "localhost" })).catch(() => denied),
  ).toEqual(denied);
  using directory = new DatabaseSync(idp.directoryFile);
  const setEnabled = directory.prepare("UPDATE users SET enabled = ? WHERE username = 'alice@example.test'");
  setEnabled.run(0);
  expect(await passkeySignIn(key)).toEqual(denied);
  setEnabled.run(1);
  expect(await passkeySignIn(key)).toEqual(in200);
});

interface Listed {
  readonly names: readonly string[];
  readonly path: string;
}

/** What the page of passkeys lists. */
async function listed(browser: Browser): Promise<Listed> {
  const { text } = await browser.get("/mfa/webauthn/devices");
  const [, path = ""] = /action="(\/mfa\/webauthn\/device\/[\w-]+)\/name"/.exec(text) ?? [];
  return { names: ["Laptop", "One", "Two", "Three"].filter((name) => text.includes(name)), path };
}

test("renamed twice at once it has one of the names, and deleted meanwhile it is gone", async () => {
  const { browser, key } = await withPasskey("carol");
  const token = csrfIn(await browser.get("/mfa/webauthn/devices"));
  const { path } = await listed(browser);
  const rename = (name: string): Promise<Page> => browser.post(`${path}/name`, { csrf_token: token, name });
  for (let round = 0; round < 3; round += 1) {
    const answers = await Promise.all(["One", "Two", "Three"].map(rename));
    expect(answers.map(({ status }) => status)).toEqual([302, 302, 302]);
    expect((await listed(browser)).names).toHaveLength(1);
  }
  // Its use is written at the same time: neither loses the other.
  const [used] = await Promise.all([passkeySignIn(key), rename("One")]);
  expect([used, (await listed(browser)).names]).toEqual([in200, ["One"]]);
  const removal = { csrf_token: token, _method: "DELETE" };
  await Promise.all([rename("Two"), browser.post(path, removal), rename("Three")]);
  expect((await listed(browser)).names).toEqual([]);
  expect((await browser.get("/mfa/webauthn/devices")).text).toContain("You have no passkeys yet");
});

test("after a wrong password a right passkey is told to a script as 401, and leads back to the first page", async () => {
  const { browser, key } = await withPasskey("carol");
  const page = await wrongPassword(browser, "carol");
  expect(page.url).toMatch(/^\/login\/webauthn\?/);
  const begin = page.url.replace("/login/webauthn?", "/login/webauthn/begin?");
  const [, token = ""] = /data-csrf="([^"]+)"/.exec(page.text) ?? [];
  const credential = key.get(await asked(browser, begin));
  const [status, told] = await finish(browser, "/login/webauthn/finish", token, { credential });
  expect([status, told]).toEqual([401, { redirect: expect.stringMatching(/^\/login\?flow=/) }]);
  expect((await browser.open(Object(told).redirect)).text).toContain("User name or password is not right");
  expect(browser.cookies.has("service_session")).toBe(false);
});
