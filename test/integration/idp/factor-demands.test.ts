import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, createBrowser, hiddenFields, type Page } from "../../support/browser.ts";
import { totpCode } from "../../support/totp-code.ts";
import { type IdpStack, startIdpStack } from "./idp-stack.ts";

let idp: IdpStack;
const issuer = "http://localhost:8080";
const callback = "http://127.0.0.1:8090/callback";

const client = (name: string, demands: object) => ({
  client_id: name,
  token_endpoint_auth_method: "none",
  redirect_uris: [callback],
  scopes: ["openid"],
  grant_types: ["authorization_code"],
  skip_consent: true,
  ...demands,
});

beforeAll(async () => {
  const clients = [client("plain", {}), client("strict", { require_mfa: ["totp"] })];
  idp = await startIdpStack({ identity: { oidc: { enabled: true, issuer, clients } } });
});

afterAll(() => idp[Symbol.asyncDispose]());

/** Follows redirects on the issuer; the last answer may lead to the client. */
async function follow(browser: Browser, page: Page): Promise<Page> {
  let now = page;
  for (let hops = 0; hops < 12; hops += 1) {
    const place = now.location?.replace(issuer, "");
    if (place?.startsWith("/") !== true) return now;
    now = await browser.get(place);
  }
  return now;
}

async function authorize(browser: Browser, clientId: string): Promise<Page> {
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: callback,
    response_type: "code",
    scope: "openid",
    code_challenge: createHash("sha256").update("verifier-".repeat(6)).digest("base64url"),
    code_challenge_method: "S256",
  });
  return follow(browser, await browser.get(`/oidc/authorize?${query.toString()}`));
}

const signIn = async (browser: Browser, login: Page, name: string): Promise<Page> =>
  follow(browser, await browser.submit(login, { username: `${name}@example.test`, password: `${name}-demo-password` }));

describe("a client that demands a factor", () => {
  test("lets nobody in before it is set up, whatever another client let in; then the sign-in goes on", async () => {
    const browser = createBrowser(idp.replicas);
    const in1 = await signIn(browser, await authorize(browser, "plain"), "alice");
    expect(in1.location).toMatch(/^http:\/\/127\.0\.0\.1:8090\/callback\?code=/);

    const asked = await authorize(browser, "strict");
    expect([asked.url.replace(/\?.*/, ""), asked.status]).toEqual(["/login", 200]);
    const setup = await signIn(browser, asked, "alice");
    expect([setup.url, setup.text]).toEqual(["/mfa/totp/register", expect.stringContaining("/mfa/register/cancel")]);
    // Not yet: authorize leads to the sign-in again.
    expect((await authorize(browser, "strict")).url).toMatch(/^\/login/);
    expect((await browser.get("/mfa/register/continue")).location).toMatch(/register/);
  });

  test("goes on to the client once the code of the new app was right, and then keeps the factor", async () => {
    const browser = createBrowser(idp.replicas);
    const setup = await signIn(browser, await authorize(browser, "strict"), "carol");
    const secret = (/<code class="secret">([A-Z2-7 ]+)</.exec(setup.text)?.[1] ?? "").replaceAll(" ", "");
    const done = await follow(browser, await browser.submit(setup, { code: totpCode(secret) }));
    expect(done.location).toMatch(/^http:\/\/127\.0\.0\.1:8090\/callback\?code=/);
    expect((await authorize(browser, "strict")).location).toMatch(/callback\?code=/);

    const headers = { "sec-fetch-site": "same-origin", origin: issuer };
    const api = async (method: string, path: string, more: object = {}) => {
      const page = await browser.send(path, { method, headers: { ...headers, ...more } });
      return [page.status, page.text === "" ? {} : JSON.parse(page.text)];
    };
    // The last factor that a connected application demands stays.
    expect(await api("DELETE", "/api/v1/mfa/totp")).toEqual([403, { error: "factor_required" }]);
    const { csrf_token = "" } = hiddenFields(await browser.get("/mfa/totp/register"));
    expect((await browser.post("/mfa/totp", { csrf_token, _method: "DELETE" })).status).toBe(400);
    const [status, told] = await api("POST", "/api/v1/mfa/recovery-codes/generate");
    expect([status, Object(told).codes?.length]).toEqual([200, 10]);
    expect(await api("POST", "/api/v1/mfa/recovery-codes/generate", { "sec-fetch-site": "cross-site" })).toEqual([
      403,
      { error: "cross_site" },
    ]);
    const evil = { "sec-fetch-site": "same-site", origin: "http://evil.example" };
    expect(await api("DELETE", "/api/v1/mfa/totp", evil)).toEqual([403, { error: "cross_site" }]);
    expect(await api("GET", "/api/v1/mfa/totp/setup")).toEqual([
      200,
      { secret: expect.stringMatching(/^[A-Z2-7]{32}$/), qr_code_url: expect.stringMatching(/^otpauth:\/\/totp\//) },
    ]);
    expect(await api("POST", "/api/v1/mfa/totp/register")).toEqual([400, { error: "denied" }]);

    // Applications are listed and disconnected; then nothing demands the factor.
    const apps = await browser.get("/mfa/applications");
    expect(apps.text).toContain("strict");
    await browser.post("/mfa/application/strict", { csrf_token, _method: "DELETE" });
    expect((await browser.get("/mfa/applications")).text).not.toContain("strict");
  });

  test("may be given up: the session ends", async () => {
    const browser = createBrowser(idp.replicas);
    await signIn(browser, await authorize(browser, "strict"), "alice");
    const cancelled = await browser.get("/mfa/register/cancel");
    expect([cancelled.status, cancelled.location]).toEqual([302, "/logged_out"]);
    expect((await browser.get("/mfa/sessions")).status).toBe(401);
  });
});

test("the MFA API without a session is 401 on every path", async () => {
  const browser = createBrowser(idp.replicas);
  for (const [method, path] of [
    ["GET", "totp/setup"],
    ["POST", "totp/register"],
    ["DELETE", "totp"],
    ["POST", "recovery-codes/generate"],
    ["GET", "webauthn/register/begin"],
    ["POST", "webauthn/register/finish"],
    ["DELETE", "webauthn/abc"],
  ] as const) {
    expect((await browser.send(`/api/v1/mfa/${path}`, { method })).status).toBe(401);
  }
});
