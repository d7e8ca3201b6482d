import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { ValidateInResponseTo } from "@node-saml/node-saml";
import { freePort, poll, scratchFolder } from "@postern/testing";
import { decodeJwt } from "jose";
import { type Browser, type BrowserContext, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { launchChromium } from "../../../tools/pages/chromium.ts";
import { type IdpStack, startIdpStack } from "../idp/idp-stack.ts";
import { boardSite, identity, login, trackerSite, wikiSite } from "./browser-sites.ts";
import { type KeyPair, keyPair } from "./key-pair.ts";
import { nodeSamlLibrary, type ProviderSite, samlifyLibrary, startProviderSite } from "./provider-sites.ts";
import { currentCode } from "./totp.ts";

const owned = new AsyncDisposableStack();
const pictures = fileURLToPath(new URL("../../../.run/test/pages/", import.meta.url));
let idp: IdpStack;
let browser: Browser;
let wiki: ProviderSite;
let tracker: ProviderSite;
let board: ProviderSite;
let wikiKeys: KeyPair;
let unregistered: KeyPair;
let metadata = "";
/** Logout tokens that the OIDC client received. */
const logoutTokens: string[] = [];

async function startClient(port: number): Promise<Server> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const token = new URLSearchParams(body).get("logout_token");
      if (token !== null) logoutTokens.push(token);
      response.writeHead(200, { "content-type": "text/html" }).end("<p>mail</p>");
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(port, "127.0.0.1", resolve);
  });
  return server;
}

let clientPort = 0;

beforeAll(async () => {
  mkdirSync(pictures, { recursive: true });
  clientPort = await freePort();
  const client = await startClient(clientPort);
  owned.defer(() => {
    client.closeAllConnections();
    client.close();
  });
  const folder = owned.use(await scratchFolder());
  const pairOf = (name: string): Promise<KeyPair> => keyPair(folder.path, name);
  const [trackerKeys, boardKeys] = await Promise.all([pairOf("tracker"), pairOf("board")]);
  [wikiKeys, unregistered] = await Promise.all([pairOf("wiki"), pairOf("unregistered")]);
  idp = owned.use(await startIdpStack({ identity: identity([wikiKeys, trackerKeys, boardKeys], clientPort) }));
  metadata = await (await fetch(`${idp.stack.url}/saml/metadata`)).text();
  wiki = owned.use(
    await startProviderSite(nodeSamlLibrary({ entityId: "urn:test:wiki", origin: wikiSite, keys: wikiKeys }, metadata)),
  );
  tracker = owned.use(
    await startProviderSite(
      samlifyLibrary({ entityId: "urn:test:tracker", origin: trackerSite, keys: trackerKeys }, metadata),
    ),
  );
  board = owned.use(
    await startProviderSite(
      nodeSamlLibrary({ entityId: "urn:test:board", origin: boardSite, keys: boardKeys }, metadata),
    ),
  );
  const hosts = [
    `MAP localhost:8080 127.0.0.1:${new URL(idp.stack.url).port}`,
    `MAP wiki.test:80 127.0.0.1:${wiki.port}`,
    `MAP tracker.test:80 127.0.0.1:${tracker.port}`,
    `MAP board.test:80 127.0.0.1:${board.port}`,
    `MAP mail.test:80 127.0.0.1:${clientPort}`,
  ];
  // Each application has its own site, so that cookies are separate as on the Internet.
  browser = await launchChromium([`--host-resolver-rules=${hosts.join(",")}`]);
  owned.defer(() => browser.close());
});

afterAll(() => owned.disposeAsync());

afterEach(() => {
  // Keeps a test that fails while the site hangs from affecting the next one.
  tracker.hangs = false;
});

const newContext = (options = {}): Promise<BrowserContext> => browser.newContext({ locale: "en-US", ...options });

const shownUser = (page: Page): Promise<string | null> => page.locator("#who").textContent();

async function password(page: Page, user = "alice"): Promise<void> {
  await page.getByLabel("Username or email address").fill(`${user}@example.test`);
  await page.getByLabel("Password", { exact: true }).fill(`${user}-demo-password`);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** Signs in at both sites. Without JavaScript the user submits the form with the response. */
async function signIn(page: Page, hasJavaScript = true): Promise<void> {
  for (const site of [wikiSite, trackerSite]) {
    await page.goto(`${site}/login`);
    if (site === wikiSite) await password(page);
    if (!hasJavaScript) await page.getByRole("button", { name: /^Return to/ }).click();
    await page.waitForURL(`${site}/`);
  }
}

async function requestSignOut(page: Page, query = ""): Promise<void> {
  await page.goto(`${login}/logout${query}`);
  await page.getByRole("button", { name: "Sign out" }).click();
}

const rows = (page: Page): Promise<readonly string[]> => page.locator(".things li").allInnerTexts();

async function authorizeWebmail(page: Page): Promise<void> {
  const challenge = createHash("sha256").update("v".repeat(43)).digest("base64url");
  const query = new URLSearchParams({
    response_type: "code",
    client_id: "webmail",
    redirect_uri: "http://mail.test/cb",
    scope: "openid",
    state: "s",
    code_challenge: challenge,
    code_challenge_method: "S256",
  });
  await page.goto(`${login}/oidc/authorize?${query.toString()}`);
  await page.waitForURL("http://mail.test/**");
}

async function shownUsers(context: BrowserContext): Promise<readonly (string | null)[]> {
  const page = await context.newPage();
  const seen: (string | null)[] = [];
  for (const site of [wikiSite, trackerSite]) {
    await page.goto(`${site}/`);
    seen.push(await shownUser(page));
  }
  await page.close();
  return seen;
}

describe("a service provider in a browser", () => {
  test("receives attributes after a sign-in with a second factor; its library rejects a replay and another audience", async () => {
    await using context = await newContext();
    const page = await context.newPage();
    await page.goto(`${wikiSite}/login`);
    await password(page, "bob");
    await page.getByRole("link", { name: /Authenticator app/ }).click();
    await page.getByLabel("Six-digit code").fill(currentCode());
    await page.getByRole("button", { name: "Verify" }).click();
    await page.waitForURL(`${wikiSite}/`);
    expect(await shownUser(page)).toBe("mail: bob@example.test, by: https://refeds.org/profile/mfa");
    const body = new URLSearchParams({ SAMLResponse: wiki.lastResponse });
    const again = await fetch(`http://127.0.0.1:${wiki.port}/acs`, { method: "POST", body });
    expect([again.status, await again.text()]).toEqual([403, expect.stringContaining("InResponseTo")]);
    const site = { entityId: "urn:test:other", origin: wikiSite, keys: wikiKeys };
    const other = nodeSamlLibrary(site, metadata, { validateInResponseTo: ValidateInResponseTo.never });
    await expect(other.takeLogin(Object.fromEntries(body))).rejects.toThrow(/audience/i);
  });

  test("gets an error page for a request with another key or for a replayed request", async () => {
    await using context = await newContext();
    const page = await context.newPage();
    const site = { entityId: "urn:test:wiki", origin: wikiSite, keys: unregistered };
    const forged = await page.goto(await nodeSamlLibrary(site, metadata).loginUrl());
    expect(forged?.status()).toBe(400);
    const url = await nodeSamlLibrary({ ...site, keys: wikiKeys }, metadata).loginUrl();
    expect((await page.goto(url))?.status()).toBe(200);
    expect((await page.goto(url))?.status()).toBe(400);
  });
});

describe("a logout in a browser", () => {
  test("that a service provider starts ends the sessions at the other service provider and at OIDC clients", async () => {
    await using context = await newContext();
    const page = await context.newPage();
    await signIn(page);
    await authorizeWebmail(page);
    expect(await shownUsers(context)).toEqual([expect.stringContaining("alice@example.test"), "login: alice"]);
    logoutTokens.length = 0;
    await page.goto(`${wikiSite}/logout`);
    await page.waitForURL(`${wikiSite}/slo?**`);
    expect(await shownUser(page)).toBe("logout answered");
    expect(await shownUsers(context)).toEqual(["signed out", "signed out"]);
    await poll("logout token", () => logoutTokens.length === 1);
    expect(decodeJwt(logoutTokens[0] ?? "")).toMatchObject({ aud: "webmail", events: expect.anything() });
    await page.goto(`${trackerSite}/login`);
    expect(await page.getByLabel("Password", { exact: true }).isVisible()).toBe(true);
  });

  test("that a form of a service provider starts ends the browser's session if the request names none", async () => {
    await using context = await newContext();
    const page = await context.newPage();
    await signIn(page);
    await page.goto(`${trackerSite}/logout-by-form`);
    const posted = page.waitForRequest((request) => request.url() === `${login}/saml/slo`);
    const [request] = await Promise.all([posted, page.getByRole("button", { name: "Leave" }).click()]);
    // The form of another site arrives without the session's cookie.
    expect((await request.allHeaders())["cookie"]).toBeUndefined();
    await page.waitForURL(`${trackerSite}/slo`);
    expect(await shownUser(page)).toBe("logout answered");
    expect((await shownUsers(context))[0]).toBe("signed out");
    await page.goto(`${wikiSite}/login`);
    expect(await page.getByLabel("Password", { exact: true }).isVisible()).toBe(true);
  });

  test("that an OIDC client starts notifies both service providers and returns to the client", async () => {
    await using context = await newContext();
    const page = await context.newPage();
    const messages: string[] = [];
    page.on("console", (message) => messages.push(message.text()));
    await signIn(page);
    await requestSignOut(page, "?client_id=webmail&post_logout_redirect_uri=http://mail.test/bye&state=s1");
    await page.waitForURL("http://mail.test/bye?state=s1");
    expect(await shownUsers(context)).toEqual(["signed out", "signed out"]);
    expect(messages).toEqual([]);
  });

  test("notifies a service provider that takes requests by POST only, from a form in a frame of ours", async () => {
    await using context = await newContext();
    const page = await context.newPage();
    const messages: string[] = [];
    page.on("console", (message) => messages.push(message.text()));
    await page.goto(`${boardSite}/login`);
    await password(page);
    await page.waitForURL(`${boardSite}/`);
    const posted = page.waitForRequest(
      (request) => request.url() === `${boardSite}/slo` && request.method() === "POST",
    );
    await requestSignOut(page);
    expect(new URLSearchParams((await posted).postData() ?? "").has("SAMLRequest")).toBe(true);
    await page.waitForURL(`${login}/logged_out`);
    await page.goto(`${boardSite}/`);
    expect(await shownUser(page)).toBe("signed out");
    expect(messages).toEqual([]);
  });

  test.each([true, false])(
    "reports a service provider that hangs, and the page can be reloaded (JavaScript: %s)",
    async (hasJavaScript) => {
      await using context = await newContext({ javaScriptEnabled: hasJavaScript });
      const page = await context.newPage();
      await signIn(page, hasJavaScript);
      tracker.hangs = true;
      const pendingSignOut = requestSignOut(page);
      await page.getByRole("heading", { name: "Signing you out" }).waitFor();
      await page.screenshot({ path: join(pictures, `signing_out-${hasJavaScript ? "script" : "plain"}.png`) });
      const shown = await context.newPage();
      const again = await shown.goto(page.url(), { waitUntil: "commit" });
      expect(again?.headers()["content-security-policy"]).toMatch(
        /frame-src 'self'( http:\/\/wiki\.test)? http:\/\/tracker\.test;/,
      );
      await pendingSignOut;
      // Without JavaScript, browsers wait for every frame before they follow the refresh.
      if (!hasJavaScript) await page.getByRole("link", { name: "Continue without waiting" }).click();
      const partly = page.getByRole("heading", { name: "You’re signed out here, but not everywhere" });
      await partly.waitFor();
      expect(await rows(page)).toEqual([
        expect.stringMatching(/Example wiki\s+Signed out$/),
        expect.stringMatching(/Example tracker\s+No response\s+Try again/),
      ]);
      tracker.hangs = false;
      expect(await shownUsers(context)).toEqual(["signed out", "login: alice"]);
      await page.getByRole("link", { name: "Try again" }).click();
      await page.waitForURL(`${login}/logged_out`);
      expect(await shownUsers(context)).toEqual(["signed out", "signed out"]);
    },
  );

  test("accepts the response of a service provider once, and only with its signature", async () => {
    await using context = await newContext();
    const page = await context.newPage();
    await signIn(page);
    const answers: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/saml/slo?SAMLResponse=")) answers.push(request.url());
    });
    await requestSignOut(page);
    await page.waitForURL(`${login}/logged_out`);
    expect(answers).toHaveLength(2);
    for (const url of [...answers, (answers[0] ?? "").replace(/&SigAlg=.*/, "")]) {
      expect((await page.goto(url))?.status()).toBe(400);
    }
  });
});
