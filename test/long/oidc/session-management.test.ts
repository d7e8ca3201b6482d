import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort, scratchFolder } from "@postern/testing";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { wholeBrowser } from "../../../tools/pages/chromium.ts";
import { fillIn, soon } from "../../support/chromium-user.ts";
import { startStack } from "../../support/stack.ts";

const run = promisify(execFile);
const owned = new AsyncDisposableStack();

let browser: Browser;
/** The identity provider; the client has another host, so that its frames are those of another site. */
let issuer: string;
let client: string;

const ask = `
  window.ask = (frame, data) => new Promise((resolve) => {
    addEventListener("message", ({ data }) => resolve(data), { once: true });
    frame.contentWindow.postMessage(data, "*");
  });`;

beforeAll(async () => {
  const { path: folder } = owned.use(await scratchFolder());
  const [cert, key] = [join(folder, "tls.crt"), join(folder, "tls.key")];
  const names = "subjectAltName=DNS:localhost,IP:127.0.0.1";
  const kind = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext", names];
  await run("openssl", ["req", ...kind, "-keyout", key, "-out", cert]);
  const site = createServer({ cert: await readFile(cert), key: await readFile(key) }, (request, response) => {
    response.setHeader("content-type", "text/html");
    const isClient = request.url?.startsWith("/cb") === true;
    response.end(
      isClient ? `<iframe src="${issuer}/oidc/check_session"></iframe><script>${ask}</script>` : "<p>bye</p>",
    );
  });
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  owned.defer(() => void site.close());
  owned.defer(() => site.closeAllConnections());
  const address = site.address();
  client = `https://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  const httpPort = await freePort();
  issuer = `https://localhost:${httpPort}`;
  const web = {
    client_id: "web",
    redirect_uris: [`${client}/cb`],
    post_logout_redirect_uris: [`${client}/bye`],
    scopes: ["openid"],
    skip_consent: true,
  };
  owned.use(
    await startStack({
      redis: true,
      services: ["idp"],
      httpPort,
      env: { NODE_EXTRA_CA_CERTS: cert },
      settings: {
        runtime: { servers: { http: { tls: { enabled: true, cert, key } } } },
        identity: {
          frontend: { enabled: true },
          oidc: { enabled: true, issuer, clients: [web], session_management: { enabled: true } },
        },
      },
    }),
  );
  browser = await chromium.launch(wholeBrowser);
  owned.defer(() => browser.close());
});

afterAll(() => owned.disposeAsync());

const options = { ignoreHTTPSErrors: true, locale: "en-US" };

/** Debian's Chromium withholds cookies from frames of other sites. */
const strictWindow = (): Promise<BrowserContext> => browser.newContext(options);

/** A profile that allows third-party cookies. */
async function lenientWindow(): Promise<BrowserContext> {
  const { path } = owned.use(await scratchFolder());
  await mkdir(join(path, "Default"));
  const preferences = { profile: { cookie_controls_mode: 0, block_third_party_cookies: false } };
  await writeFile(join(path, "Default", "Preferences"), JSON.stringify(preferences));
  return chromium.launchPersistentContext(path, { ...options, ...wholeBrowser });
}

/** Signs in and stays on the client's page. @returns the message that the client sends to the frame */
async function signIn(page: Page, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const query = new URLSearchParams({
    response_type: "code",
    client_id: "web",
    redirect_uri: `${client}/cb`,
    scope: "openid",
    state: "s",
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
    ...more,
  });
  await page.goto(`${issuer}/oidc/authorize?${query.toString()}`);
  if (page.url().startsWith(issuer)) await fillIn(page, "alice");
  await page.waitForURL(`${client}/cb**`);
  return `web ${new URL(page.url()).searchParams.get("session_state") ?? ""}`;
}

async function answer(page: Page, message: string): Promise<unknown> {
  await page.frameLocator("iframe").locator("script").waitFor({ state: "attached" });
  return page.evaluate(`ask(document.querySelector("iframe"), ${JSON.stringify(message)})`);
}

async function signOut(page: Page): Promise<void> {
  await page.goto(`${issuer}/logout`);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(`${issuer}/logged_out`);
}

describe("a client on another site", () => {
  test("learns from the frame that the session is unchanged, and after a logout and another sign-in that it has changed", async () => {
    await using context = await lenientWindow();
    const [page, other] = [await context.newPage(), await context.newPage()];
    const message = await signIn(page);
    expect(message).toMatch(/^web [0-9a-f]{64}\.[0-9a-f]{32}$/);
    expect(await answer(page, message)).toBe("unchanged");
    // Another session of the same browser has another state, and each response another salt.
    const again = await signIn(other, { prompt: "none" });
    expect([again === message, await answer(other, again)]).toEqual([false, "unchanged"]);
    await signOut(other);
    await expect.poll(() => answer(page, message), soon).toBe("changed");
    const next = await signIn(other);
    expect([await answer(page, message), await answer(other, next)]).toEqual(["changed", "unchanged"]);
  });

  test("gets an error for another client's message, and not that client's state", async () => {
    await using context = await lenientWindow();
    const page = await context.newPage();
    const message = await signIn(page);
    for (const wrong of ["", "web", "web x.y", `${message}0`]) expect(await answer(page, wrong)).toBe("error");
    expect(await answer(page, message.replace(/^web/, "mail"))).toBe("changed");
    const cookies = await context.cookies(issuer);
    const session = cookies.find(({ name }) => name === "__Host-service_session");
    const state = cookies.find(({ name }) => name === "__Host-service_browser_state");
    expect(session).toMatchObject({ httpOnly: true, sameSite: "Lax" });
    expect(state).toMatchObject({ httpOnly: false, sameSite: "None", secure: true });
    expect(state?.value).not.toContain(session?.value);
  });

  test("gets an error, not a change, where the browser withholds cookies from frames of other sites", async () => {
    await using context = await strictWindow();
    const page = await context.newPage();
    const message = await signIn(page);
    expect(await answer(page, message)).toBe("error");
    await signOut(page);
    const query = new URLSearchParams({ session_state: message.slice("web ".length) });
    await page.goto(`${client}/cb?${query.toString()}`);
    expect(await answer(page, message)).toBe("error");
  });
});

test("a form_post response submits itself in Chromium, with session_state", async () => {
  await using context = await strictWindow();
  const page = await context.newPage();
  const posted = page.waitForRequest((request) => request.method() === "POST" && request.url() === `${client}/cb`);
  await signIn(page, { response_mode: "form_post" });
  const fields = new URLSearchParams((await posted).postData() ?? "");
  expect([fields.get("state"), fields.get("code"), fields.get("session_state")]).toEqual([
    "s",
    expect.any(String),
    expect.stringMatching(/^[0-9a-f]{64}\.[0-9a-f]{32}$/),
  ]);
});

test("discovery contains the frame, which any site may open and which runs only its own script", async () => {
  await using context = await lenientWindow();
  const { request } = context;
  const discovery = await (await request.get(`${issuer}/.well-known/openid-configuration`)).json();
  expect(discovery).toMatchObject({ check_session_iframe: `${issuer}/oidc/check_session` });
  const frame = await request.get(`${issuer}/oidc/check_session`);
  expect(frame.headers()["content-security-policy"]).toMatch(/script-src 'sha256-[^']+'.*frame-ancestors \*$/);
  expect(frame.headers()["x-frame-options"]).toBeUndefined();
});
