import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { poll } from "@postern/testing";
import { type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { launchChromium } from "../../../tools/pages/chromium.ts";
import { fillIn } from "../../support/chromium-user.ts";
import { type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { askToken, claimsOf } from "../../support/oidc-user.ts";

const verifier = "v".repeat(43);
const challenge = createHash("sha256").update(verifier).digest("base64url");

let oidc: OidcStack;
let browser: Browser;
/** Requests for the clients' logout pages. */
const opened: URL[] = [];
let hangs = false;

/** The sites of all clients. */
const site = createServer((request, response) => {
  const url = new URL(request.url ?? "", `http://${request.headers.host ?? ""}`);
  const isLogout = url.pathname === "/front";
  if (isLogout) opened.push(url);
  if (isLogout && hangs && url.hostname === "wiki.test") return;
  const cookie = isLogout ? "app=; Max-Age=0" : "app=1";
  response.writeHead(200, { "content-type": "text/html", "set-cookie": cookie }).end(`<p>${url.pathname}</p>`);
});

const mail = {
  client_id: "mail",
  client_secret: "mail-secret",
  name: "Webmail",
  redirect_uris: ["http://mail.test/cb"],
  post_logout_redirect_uris: ["http://mail.test/bye"],
  scopes: ["openid"],
  skip_consent: true,
  frontchannel_logout_uri: "http://mail.test/front?keep=1",
  frontchannel_logout_session_required: true,
};

beforeAll(async () => {
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  const address = site.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const wiki = { redirect_uris: ["http://wiki.test/cb"], post_logout_redirect_uris: [], name: "Wiki" };
  oidc = await startOidcStack([
    mail,
    {
      ...mail,
      ...wiki,
      client_id: "wiki",
      client_secret: "wiki-secret",
      frontchannel_logout_uri: "http://wiki.test/front",
    },
    {
      ...mail,
      client_id: "silent",
      client_secret: "silent-secret",
      frontchannel_logout_uri: "",
      frontchannel_logout_session_required: false,
    },
  ]);
  const hosts = ["mail.test", "wiki.test"].map((host) => `MAP ${host}:80 127.0.0.1:${port}`).join(",");
  browser = await launchChromium([`--host-resolver-rules=${hosts}`]);
});

afterAll(async () => {
  await browser.close();
  await oidc[Symbol.asyncDispose]();
  site.closeAllConnections();
  site.close();
});

beforeEach(() => {
  opened.length = 0;
  hangs = false;
});

/** @returns the ID token of the client */
async function signIn(page: Page, clientId: string, host = clientId): Promise<string> {
  const redirect = `http://${host}.test/cb`;
  const query = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirect,
    scope: "openid",
    state: "s",
    code_challenge: challenge,
    code_challenge_method: "S256",
  });
  await page.goto(`${oidc.issuer}/oidc/authorize?${query.toString()}`);
  if (page.url().startsWith(oidc.issuer)) await fillIn(page, "alice");
  await page.waitForURL(`${redirect}**`);
  const code = new URL(page.url()).searchParams.get("code") ?? "";
  const form = { grant_type: "authorization_code", code, redirect_uri: redirect, code_verifier: verifier };
  return String((await askToken(oidc, form, { client: clientId })).body["id_token"]);
}

async function signOut(page: Page): Promise<void> {
  await page.goto(`${oidc.issuer}/logout`);
  await page.getByRole("button", { name: "Sign out" }).click();
}

const queriesByHost = (): Readonly<Record<string, string>> =>
  Object.fromEntries(opened.map((url) => [url.hostname, url.searchParams.toString()]));

test("discovery announces front-channel and back-channel logout with sessions", async () => {
  const response = await fetch(`${oidc.issuer}/.well-known/openid-configuration`);
  expect(await response.json()).toMatchObject({
    frontchannel_logout_supported: true,
    frontchannel_logout_session_supported: true,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
  });
});

test("signing out opens the clients' logout pages in frames with iss and sid, and no other pages", async () => {
  await using context = await browser.newContext({ locale: "en-US" });
  const page = await context.newPage();
  const tokens = { mail: await signIn(page, "mail"), wiki: await signIn(page, "wiki") };
  await signIn(page, "silent", "mail");
  const policies: string[] = [];
  page.on("response", (response) => {
    const policy = response.headers()["content-security-policy"];
    if (policy?.includes("frame-src") === true) policies.push(policy);
  });
  await signOut(page);
  await page.waitForURL(`${oidc.issuer}/logged_out`);
  const query = (first: string, token: string): string =>
    `${first}${new URLSearchParams({ iss: oidc.issuer, sid: String(claimsOf(token)["sid"]) }).toString()}`;
  expect(queriesByHost()).toEqual({ "mail.test": query("keep=1&", tokens.mail), "wiki.test": query("", tokens.wiki) });
  expect(policies.join()).toMatch(/frame-src 'self' http:\/\/(mail|wiki)\.test http:\/\/(mail|wiki)\.test;/);
});

test("a logout page that hangs does not keep the user from being redirected to the client", async () => {
  await using context = await browser.newContext({ locale: "en-US" });
  const page = await context.newPage();
  await signIn(page, "wiki");
  const hint = await signIn(page, "mail");
  hangs = true;
  const query = new URLSearchParams({
    id_token_hint: hint,
    post_logout_redirect_uri: "http://mail.test/bye",
    state: "x",
  });
  await page.goto(`${oidc.issuer}/oidc/logout?${query.toString()}`, { waitUntil: "commit" });
  await page.waitForURL("http://mail.test/bye?state=x");
  await poll("both pages to be opened", () => Object.keys(queriesByHost()).length === 2);
  expect(new URL(page.url()).hostname).toBe("mail.test");
});

test("without JavaScript, the page redirects after a delay and has a link", async () => {
  await using context = await browser.newContext({ locale: "en-US", javaScriptEnabled: false });
  const page = await context.newPage();
  await signIn(page, "mail");
  await signOut(page);
  expect(await page.getByRole("link", { name: /wait/ }).getAttribute("href")).toBe("/logged_out");
  await page.waitForURL(`${oidc.issuer}/logged_out`);
  expect(Object.keys(queriesByHost())).toEqual(["mail.test"]);
});
