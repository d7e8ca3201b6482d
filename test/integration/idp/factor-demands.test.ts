import { poll } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, createBrowser, hiddenFields, type Page } from "../../support/browser.ts";
import { totpCode } from "../../support/totp-code.ts";
import { authorize, follow, issuer, passwordStep, publicClient } from "./authorization.ts";
import { type IdpStack, startIdpStack } from "./idp-stack.ts";

let idp: IdpStack;
const bobsSecret = "JBSWY3DPEHPK3PXP";

beforeAll(async () => {
  const clients = [
    publicClient("plain"),
    publicClient("strict", { require_mfa: ["totp"] }),
    publicClient("delayed", { delayed_response: true }),
    publicClient("delayed-app", { delayed_response: true, supported_mfa: ["totp"] }),
    publicClient("high", { required_mfa_level: "5", mfa_policy: { levels: { totp: 5 } } }),
    publicClient("key", { required_mfa_level: "webauthn" }),
  ];
  idp = await startIdpStack({ identity: { oidc: { enabled: true, issuer, clients } } }, { gateway: false });
});

afterAll(() => idp[Symbol.asyncDispose]());

const user = (name: string, password = `${name}-demo-password`) => ({ username: `${name}@example.test`, password });

const signIn = async (browser: Browser, login: Page, name: string): Promise<Page> =>
  follow(browser, await browser.submit(login, user(name)));

describe("a client that requires a second factor", () => {
  test("gets no code before the factor is set up, even if another client already received one", async () => {
    const browser = createBrowser(idp.replicas);
    const first = await signIn(browser, await authorize(browser, "plain"), "alice");
    expect(first.location).toMatch(/^http:\/\/127\.0\.0\.1:8090\/callback\?code=/);

    const loginPage = await authorize(browser, "strict");
    expect([loginPage.url.replace(/\?.*/, ""), loginPage.status]).toEqual(["/login", 200]);
    const setup = await signIn(browser, loginPage, "alice");
    expect([setup.url, setup.text]).toEqual(["/mfa/totp/register", expect.stringContaining("/mfa/register/cancel")]);
    // The factor is not set up yet: another authorization request leads to the sign-in page.
    expect((await authorize(browser, "strict")).url).toMatch(/^\/login/);
    expect((await browser.get("/mfa/register/continue")).location).toMatch(/register/);
  });

  test("gets a code once the new app is confirmed, and the factor cannot be removed afterwards", async () => {
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
    // The last factor that a connected application requires cannot be removed.
    expect(await api("DELETE", "/api/v1/mfa/totp")).toEqual([403, { error: "factor_required" }]);
    const { csrf_token = "" } = hiddenFields(await browser.get("/mfa/totp/register"));
    expect((await browser.post("/mfa/totp", { csrf_token, _method: "DELETE" })).status).toBe(400);
    const [status, body] = await api("POST", "/api/v1/mfa/recovery-codes/generate");
    expect([status, Object(body).codes?.length]).toEqual([200, 10]);
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

    // Once the application is disconnected, nothing requires the factor.
    const apps = await browser.get("/mfa/applications");
    expect(apps.text).toContain("strict");
    await browser.post("/mfa/application/strict", { csrf_token, _method: "DELETE" });
    expect((await browser.get("/mfa/applications")).text).not.toContain("strict");
  });

  test("lets the user cancel, which ends the session", async () => {
    const browser = createBrowser(idp.replicas);
    await signIn(browser, await authorize(browser, "strict"), "alice");
    const cancelled = await browser.get("/mfa/register/cancel");
    expect([cancelled.status, cancelled.location]).toEqual([302, "/logged_out"]);
    expect((await browser.get("/mfa/sessions")).status).toBe(401);
  });
});

test("every path of the MFA API returns 401 without a session", async () => {
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

/** The page without the parts that differ from flow to flow. */
const shape = (page: Page): string =>
  [page.status, page.url, page.text]
    .join("\n")
    .replaceAll(hiddenFields(page)["csrf_token"] ?? "-", "")
    .replaceAll(/flow=[\w-]+/g, "");

async function failedDecisions(): Promise<number> {
  const metrics = (await Promise.all(idp.stack.engines.map((engine) => engine.metrics()))).join("\n");
  const found = metrics.matchAll(/engine_decision_seconds_count\{operation="authenticate",outcome="fail"\} (\d+)/g);
  return [...found].reduce((sum, [, count]) => sum + Number(count), 0);
}

describe("an application with delayed_response", () => {
  test("shows the same page after a wrong password as after the correct one, and the failure is counted once", async () => {
    const [right, wrong] = [createBrowser(idp.replicas), createBrowser(idp.replicas)];
    const before = await failedDecisions();
    const afterRight = await passwordStep(right, "delayed-app", user("bob"));
    const afterWrong = await passwordStep(wrong, "delayed-app", user("bob", "wrong"));
    expect(shape(afterWrong)).toBe(shape(afterRight));
    expect(afterWrong.url).toMatch(/^\/login\/totp\?/);

    // The message about a wrong code does not reveal whether the password was correct.
    const refusals = await Promise.all([
      right.submit(afterRight, { code: "000000" }),
      wrong.submit(afterWrong, { code: "000000" }),
    ]);
    expect(shape({ ...refusals[1], url: "" })).toBe(shape({ ...refusals[0], url: "" }));

    const code = totpCode(bobsSecret);
    const refused = await wrong.submit(refusals[1], { code });
    expect([refused.status, refused.location]).toEqual([302, expect.stringMatching(/^\/login\?flow=/)]);
    const again = await follow(wrong, refused);
    expect([again.status, again.text]).toEqual([200, expect.stringContaining("Incorrect username or password")]);
    expect(wrong.cookies.has("service_session")).toBe(false);
    await poll("the engine to have counted it", async () => (await failedDecisions()) === before + 1);
    expect(await failedDecisions()).toBe(before + 1);

    // That attempt consumed the code.
    expect((await right.submit(refusals[0], { code })).status).toBe(200);
    const next = await right.submit(refusals[0], { code: totpCode(bobsSecret, Math.floor(Date.now() / 30_000) + 1) });
    expect((await follow(right, next)).location).toMatch(/callback\?code=/);
  });

  test("lets the user continue with the correct password, and never without it", async () => {
    const browser = createBrowser(idp.replicas);
    const choice = await passwordStep(browser, "delayed", user("bob", "wrong"));
    expect(choice.url).toMatch(/^\/login\/mfa\?/);
    const factor = await browser.get(choice.url.replace("/login/mfa", "/login/recovery"));
    // The form is sent twice in parallel; both are rejected.
    const twice = await Promise.all(["BOBS-2345", "BOBS-6789"].map((code) => browser.submit(factor, { code })));
    for (const page of twice) expect(page.location ?? "").toMatch(/^(\/login\?flow=.*)?$/);
    expect(browser.cookies.has("service_session")).toBe(false);
    const login = await browser.open("/login");
    const second = await follow(browser, await browser.submit(login, user("bob")));
    const recovery = await browser.get(second.url.replace("/login/mfa", "/login/recovery"));
    const low = await browser.submit(recovery, { code: "BOBS-RACE" });
    // Few codes are left, and a page reports that before the sign-in continues.
    expect(low.location).toMatch(/^\/login\/codes\?flow=/);
    const codesPage = await browser.get(low.location ?? "");
    expect(codesPage.text).toContain("Codes left: ");
    const [, next = ""] = /href="(\/login\?flow=[\w-]+)"/.exec(codesPage.text) ?? [];
    const done = await follow(browser, await browser.get(next));
    expect(done.location).toMatch(/callback\?code=/);
  });

  test("rejects an invalid passkey after a wrong password as it does after the correct one", async () => {
    const browser = createBrowser(idp.replicas);
    const factor = await passwordStep(browser, "delayed", user("bob", "wrong"));
    const { csrf_token = "" } = hiddenFields(await browser.get(factor.url.replace("/login/mfa", "/login/recovery")));
    const headers = { "content-type": "application/json", "x-csrf-token": csrf_token };
    const answer = await browser.send("/login/webauthn/finish", { method: "POST", headers, body: "{}" });
    // Bob has no passkey, so the rejection reveals nothing about the password.
    expect([answer.status, JSON.parse(answer.text)]).toEqual([400, { error: "denied", reference: expect.any(String) }]);
    // The audit stream does not name an account whose password was not verified.
    const lines = (): readonly string[] =>
      idp.processes
        .flatMap((service) => service.output().split("\n"))
        .filter((line) => line.includes('"event":"user.login"') && line.includes('"method":"webauthn"'));
    await poll("the audit line", () => lines().length > 0);
    for (const line of lines()) expect(JSON.parse(line)).not.toHaveProperty("actor");
  });

  test("reports a wrong password immediately for unknown users and users without a second factor; other applications always do", async () => {
    for (const [name, clientId] of [
      ["alice", "delayed"],
      ["nobody", "delayed"],
      ["bob", "plain"],
    ] as const) {
      const page = await passwordStep(createBrowser(idp.replicas), clientId, user(name, "wrong"));
      expect([page.status, page.text]).toEqual([200, expect.stringContaining("Incorrect username or password")]);
    }
  });
});

describe("factor levels", () => {
  test("are set per application: a code suffices where its level is high enough, and elsewhere a passkey is needed", async () => {
    const browser = createBrowser(idp.replicas);
    const factor = await passwordStep(browser, "high", user("bob"));
    expect(factor.url).toMatch(/^\/login\/totp\?/);
    // Begins with the next time step, because an earlier test may have used the code of the current one.
    const later = Math.floor(Date.now() / 30_000) + 1;
    const codes = [later, later - 1, later - 2].map((step) => totpCode(bobsSecret, step));
    let page = factor;
    for (const code of codes) {
      page = await follow(browser, await browser.submit(factor, { code }));
      if (page.location !== undefined) break;
    }
    expect(page.location).toMatch(/callback\?code=/);

    expect((await authorize(browser, "high")).location).toMatch(/callback\?code=/);
    // A code is not enough for the client that requires a passkey, or for acr_values that do.
    expect((await authorize(browser, "key")).url).toMatch(/^\/login\?/);
    expect((await authorize(browser, "plain", { acr_values: "phr" })).url).toMatch(/^\/login\?/);
    expect((await authorize(browser, "plain", { acr_values: "mfa" })).location).toMatch(/callback\?code=/);
    expect((await authorize(browser, "plain", { prompt: "none" })).location).toMatch(/callback\?code=/);
    expect((await authorize(browser, "key", { prompt: "none" })).location).toContain("error=interaction_required");

    // After the reload, a factor that was verified too long ago does not count.
    await idp.stack.writeSettings({ identity: { mfa_policy: { freshness: "1s" } } });
    idp.first.signal("SIGHUP");
    const alone = createBrowser([idp.replicas[0]]);
    for (const [name, value] of browser.cookies) alone.cookies.set(name, value);
    await poll("the factor to be too old", async () => (await authorize(alone, "high")).url.startsWith("/login?"));
    expect((await authorize(alone, "plain")).location).toMatch(/callback\?code=/);
  });
});
