import type { DatabaseSync } from "node:sqlite";
import { expect } from "vitest";
import { type Browser, createBrowser, hiddenFields, type Page } from "../../support/browser.ts";
import { createSoftAuthenticator, type SoftAuthenticator } from "../../support/soft-authenticator.ts";
import { issuer } from "./authorization.ts";
import type { IdpStack } from "./idp-stack.ts";

export const home = "/mfa/register/home";
export const csrfIn = (page: Page): string => hiddenFields(page)["csrf_token"] ?? "";

export async function fetchPublicKeyOptions(browser: Browser, path: string): Promise<unknown> {
  return Object(JSON.parse((await browser.get(path)).text)).publicKey;
}

export async function finish(browser: Browser, path: string, token: string, body: object): Promise<readonly unknown[]> {
  const headers = { "content-type": "application/json", "x-csrf-token": token };
  const page = await browser.send(path, { method: "POST", headers, body: JSON.stringify(body) });
  return [page.status, JSON.parse(page.text)];
}

/** Signs in with the password and adds a passkey. */
export async function addPasskey(
  idp: Pick<IdpStack, "replicas">,
  name: string,
  domain = "example.test",
): Promise<{ readonly browser: Browser; readonly key: SoftAuthenticator }> {
  const browser = createBrowser(idp.replicas);
  const login = await browser.open(home);
  await browser.submit(login, { username: `${name}@${domain}`, password: `${name}-demo-password` });
  const key = createSoftAuthenticator({ origin: issuer, rpId: "localhost" });
  const token = csrfIn(await browser.get("/mfa/app-passwords"));
  const credential = key.create(await fetchPublicKeyOptions(browser, "/mfa/webauthn/register/begin"));
  const result = await finish(browser, "/mfa/webauthn/register/finish", token, { name: "Laptop", credential });
  // After the first factor, recovery codes are offered to a user who has none.
  expect(result).toEqual([200, { redirect: expect.stringMatching(/^\/mfa\/(webauthn\/devices|recovery\/register)$/) }]);
  return { browser, key };
}

/** Signs in with the passkey alone, in a new browser. */
export async function signInWithPasskey(idp: IdpStack, key: SoftAuthenticator, clientIp?: string) {
  const browser = createBrowser(idp.replicas, clientIp);
  const login = await browser.open(home);
  const begin = login.url.replace("/login?", "/login/webauthn/begin?");
  const credential = key.get(await fetchPublicKeyOptions(browser, begin));
  const result = await finish(browser, "/login/webauthn/finish", csrfIn(login), { credential });
  return { result, isIn: browser.cookies.has("service_session") };
}

interface Creation {
  readonly challenge: string;
  readonly user: { readonly id: string; readonly name: string };
}

/** The options of a registration in a new session, and the session's token. */
export async function beginRegistration(idp: IdpStack, name: string) {
  const browser = createBrowser(idp.replicas);
  await browser.submit(await browser.open(home), {
    username: `${name}@example.test`,
    password: `${name}-demo-password`,
  });
  const token = csrfIn(await browser.get("/mfa/app-passwords"));
  const options: Creation = Object(await fetchPublicKeyOptions(browser, "/mfa/webauthn/register/begin"));
  return { browser, token, options };
}

/** Begins another registration of an account that already has a passkey. */
export async function beginAnother(idp: IdpStack, key: SoftAuthenticator) {
  const browser = createBrowser(idp.replicas);
  const login = await browser.open(home);
  const begin = login.url.replace("/login?", "/login/webauthn/begin?");
  const credential = key.get(await fetchPublicKeyOptions(browser, begin));
  expect(await finish(browser, "/login/webauthn/finish", csrfIn(login), { credential })).toMatchObject([200, {}]);
  const options: Creation = Object(await fetchPublicKeyOptions(browser, "/mfa/webauthn/register/begin"));
  return { options };
}

/** Gives the account another name in the tables of the site. */
export function rename(backend: DatabaseSync, from: string, to: string): void {
  backend.prepare("UPDATE users SET username = ? WHERE username = ?").run(to, from);
  backend.prepare("UPDATE postern_webauthn SET account = ? WHERE account = ?").run(to, from);
}

/** A passkey as earlier versions made it: its handle is the name of the account, and the stored text has none. */
export async function addOldPasskey(idp: IdpStack, backend: DatabaseSync, name: string): Promise<SoftAuthenticator> {
  const { browser, token, options } = await beginRegistration(idp, name);
  const key = createSoftAuthenticator({ origin: issuer, rpId: "localhost" });
  const user = { ...options.user, id: Buffer.from(`${name}@example.test`).toString("base64url") };
  const body = { name: "Old", credential: key.create({ ...options, user }) };
  expect(await finish(browser, "/mfa/webauthn/register/finish", token, body)).toMatchObject([200, {}]);
  backend.exec("UPDATE postern_webauthn SET credential = json_remove(credential, '$.userHandle')");
  return key;
}
