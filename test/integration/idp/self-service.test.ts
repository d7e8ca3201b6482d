import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, createBrowser, hiddenFields, type Page } from "../../support/browser.ts";
import { signedIn } from "../../support/oidc-user.ts";
import { testRedis } from "../../support/redis-content.ts";
import { totpCode } from "../../support/totp-code.ts";
import { type IdpStack, startIdpStack } from "./idp-stack.ts";

let idp: IdpStack;

beforeAll(async () => {
  idp = await startIdpStack({}, { gateway: false });
});

afterAll(() => idp[Symbol.asyncDispose]());

const home = "/mfa/register/home";
const newBrowser = (): Browser => createBrowser(idp.replicas);

async function signIn(name: string): Promise<Browser> {
  const browser = newBrowser();
  const login = await browser.open(home);
  const answer = await browser.submit(login, { username: `${name}@example.test`, password: `${name}-demo-password` });
  expect([answer.status, answer.location]).toEqual([302, home]);
  return browser;
}

const secretIn = ({ text }: Page): string =>
  (/<code class="secret">([A-Z2-7 ]+)</.exec(text)?.[1] ?? "").replaceAll(" ", "");

const csrfIn = (page: Page): string => hiddenFields(page)["csrf_token"] ?? "";

describe("access", () => {
  const paths = [
    "/mfa/totp/register",
    "/mfa/recovery/register/de",
    "/mfa/webauthn/register",
    "/mfa/webauthn/register/begin",
    "/mfa/webauthn/devices",
    "/mfa/app-passwords",
    "/mfa/sessions",
    "/mfa/applications/ar",
  ];
  test.each(paths)("GET %s without a session returns 401 and a page that links to the sign-in", async (path) => {
    const page = await newBrowser().get(path);
    expect([page.status, page.text]).toEqual([401, expect.stringContaining(`href="${home}"`)]);
  });

  test("a change without a csrf_token, with a wrong one or with another session's is rejected with 400", async () => {
    const [mine, other] = [await signIn("carol"), await signIn("carol")];
    const foreign = csrfIn(await other.open("/mfa/app-passwords"));
    const page = await mine.open("/mfa/app-passwords");
    for (const csrf_token of ["", "x.y", foreign]) {
      expect((await mine.post("/mfa/app-passwords", { csrf_token, label: "Evil" })).status).toBe(400);
      expect((await mine.post("/mfa/totp", { csrf_token, _method: "DELETE" })).status).toBe(400);
    }
    expect((await mine.post("/mfa/totp", { csrf_token: csrfIn(page) })).status).toBe(400);
    expect((await mine.open("/mfa/app-passwords")).text).not.toContain("Evil");
  });
});

describe("an authenticator app", () => {
  test("is set up with a correct code only, allows recovery codes, is requested at sign-in, and can be removed", async () => {
    const browser = await signIn("alice");
    const page = await browser.open("/mfa/totp/register");
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('<svg class="qr"')]);
    const secret = secretIn(page);
    expect(secret).toHaveLength(32);
    const wrong = await browser.submit(page, { code: "000000" });
    expect([wrong.status, wrong.text]).toEqual([200, expect.stringContaining('role="alert"')]);
    expect(secretIn(wrong)).toBe(secret);
    const set = await browser.submit(wrong, { code: totpCode(secret) });
    // Recovery codes are offered right after the first factor.
    expect([set.status, set.location]).toEqual([302, "/mfa/recovery/register"]);
    const offer = (await browser.open("/mfa/recovery/register")).text;
    expect(offer).toContain("Authenticator app set up.");
    expect(offer).toMatch(/Get recovery codes[\s\S]*Create recovery codes[\s\S]*href="\/mfa\/register\/home">Not now/);
    expect((await browser.open(home)).text).toContain("No codes. Create some in case you lose your device.");

    const codesPage = await browser.submit(await browser.open("/mfa/recovery/register"), {});
    const codes = [...codesPage.text.matchAll(/<li><code>([A-Z2-9]{4}-[A-Z2-9]{4})</g)].map(([, code = ""]) => code);
    expect([codesPage.status, new Set(codes).size]).toEqual([200, 10]);
    expect((await browser.open("/mfa/recovery/register")).text).toContain("Get recovery codes");
    const stale = await browser.submit(codesPage, { set: "another" });
    expect(stale.location).toBe("/mfa/recovery/register");
    expect((await browser.submit(codesPage, {})).location).toBe(home);
    expect((await browser.open(home)).text).toContain("Codes left: 10");

    const again = newBrowser();
    const login = await again.open(home);
    const redirect = await again.submit(login, { username: "alice@example.test", password: "alice-demo-password" });
    const choice = await again.get(redirect.location ?? "");
    const [, recovery = ""] = /href="(\/login\/recovery\?flow=[\w-]+)"/.exec(choice.text) ?? [];
    const [code = ""] = codes;
    expect((await again.submit(await again.get(recovery), { code })).location).toBe(home);

    const settings = await browser.open("/mfa/totp/register");
    expect(settings.text).toContain('href="/mfa/totp/remove"');
    const removal = await browser.open("/mfa/totp/remove");
    for (const warning of [
      "Your password alone will be enough",
      "Your unused recovery codes (9) will also be deleted.",
    ]) {
      expect(removal.text).toContain(warning);
    }
    // Opening the page removes nothing.
    expect((await browser.open("/mfa/totp/remove")).text).toContain("Remove your authenticator app?");
    const removed = await browser.post("/mfa/totp", hiddenFields(removal));
    expect([removed.status, removed.location]).toEqual([302, home]);
    const bare = await browser.open(home);
    expect(bare.text).toMatch(/role="status">[\s\S]*Authenticator app removed\.[\s\S]*codes were also deleted\./);
    expect((await browser.open(home)).text).not.toContain('role="status"');
    expect((await browser.get("/mfa/totp/remove")).location).toBe("/mfa/totp/register");
    expect([bare.text.includes(">Off<"), bare.text.includes("Codes left: 0")]).toEqual([true, true]);
  });
});

async function withSession(account: string, more: Parameters<typeof signedIn>[2]): Promise<Browser> {
  const redis = await testRedis(idp.stack.redis?.port ?? 0);
  const [name = "", sid = ""] = (await signedIn(redis, account, more)).split("=");
  redis.disconnect();
  const browser = newBrowser();
  browser.cookies.set(name, sid);
  return browser;
}

async function setupByApi(browser: Browser): Promise<readonly unknown[]> {
  const page = await browser.get("/api/v1/mfa/totp/setup");
  return [page.status, Object(JSON.parse(page.text)).error];
}

describe("a session that is older than ten minutes", () => {
  const seconds = Math.floor(Date.now() / 1000);
  test("cannot show or change a factor, and a new sign-in leads back to the page", async () => {
    const old = await withSession("alice@example.test", { loginTs: seconds - 700, remember: true });
    expect((await old.get("/mfa/sessions")).status).toBe(200);
    expect(await setupByApi(old)).toEqual([403, "step_up_required"]);
    const { csrf_token = "" } = hiddenFields(await old.get("/mfa/sessions"));
    for (const path of ["/mfa/totp", "/mfa/webauthn"]) {
      const refused = await old.post(path, { csrf_token, _method: "DELETE" });
      expect([refused.status, refused.location]).toEqual([302, expect.stringMatching(/^\/login\?flow=/)]);
    }
    const login = await old.open("/mfa/totp/register");
    expect(login.url).toMatch(/^\/login\?flow=/);
    const answer = await old.submit(login, { username: "alice@example.test", password: "alice-demo-password" });
    expect(answer.location).toBe("/mfa/totp/register");
    expect((await old.open("/mfa/totp/register")).text).toContain('class="secret"');
  });

  test("must verify the second factor again if the account has one, even if the password is recent", async () => {
    const bob = { loginTs: seconds, amr: ["pwd", "otp", "mfa"], acr: "mfa" };
    expect(await setupByApi(await withSession("bob@example.test", { ...bob, mfaTs: seconds - 700 }))).toEqual([
      403,
      "step_up_required",
    ]);
    expect(await setupByApi(await withSession("bob@example.test", { ...bob, mfaTs: seconds }))).toEqual([
      200,
      undefined,
    ]);
  });
});

describe("app passwords", () => {
  test("are shown once, listed and revoked", async () => {
    const browser = await signIn("carol");
    const page = await browser.submit(await browser.open("/mfa/app-passwords"), { label: "Tablet <b>" });
    expect(page.text).toMatch(/<code id="password">app-[\w-]{30,}<\/code>/);
    const list = await browser.open("/mfa/app-passwords");
    expect([list.text.includes("Tablet &lt;b&gt;"), /app-[\w]{20}/.test(list.text)]).toEqual([true, false]);
    const revokes = [...list.text.matchAll(/action="(\/mfa\/app-password\/[0-9a-f]{16})"/g)].map(
      ([, path = ""]) => path,
    );
    expect(revokes).toEqual([]);
    const [, removal = ""] =
      /href="(\/mfa\/app-password\/[0-9a-f]{16}\/remove)"[^<]*Delete<span class="hidden"> Tablet/.exec(list.text) ?? [];
    const question = await browser.open(removal);
    expect(question.text).toContain("Delete the app password “Tablet &lt;b&gt;”?");
    // Opening the page deletes nothing.
    expect((await browser.open("/mfa/app-passwords")).text).toContain("Tablet");
    const gone = await browser.post(removal.replace("/remove", ""), hiddenFields(question));
    expect([gone.status, gone.location]).toEqual([302, "/mfa/app-passwords"]);
    expect((await browser.open("/mfa/app-passwords")).text).not.toContain("Tablet");
    expect((await browser.get(removal)).location).toBe("/mfa/app-passwords");
    expect((await newBrowser().get(removal)).status).toBe(401);
  });
});

describe("signed-in devices", () => {
  test("a user can sign out all other devices, whose next requests are rejected", async () => {
    const [one, two, three] = [await signIn("carol"), await signIn("carol"), await signIn("carol")];
    const list = await one.open("/mfa/sessions");
    expect(list.text.match(/class="this"/g)).toHaveLength(1);
    const ended = await one.post("/mfa/sessions", { csrf_token: csrfIn(list), _method: "DELETE" });
    expect(ended.location).toBe("/mfa/sessions");
    for (const gone of [two, three]) expect((await gone.get("/mfa/sessions")).status).toBe(401);
    expect((await one.get("/mfa/sessions")).status).toBe(200);
  });

  test("signing out all other devices also ends the sessions beyond the newest 100", async () => {
    const redis = await testRedis(idp.stack.redis?.port ?? 0);
    await Promise.all(Array.from({ length: 120 }, () => signedIn(redis, "carol@example.test")));
    redis.disconnect();
    const own = await signIn("carol");
    const list = await own.open("/mfa/sessions");
    expect(list.text).toContain('action="/mfa/session/');
    await own.post("/mfa/sessions", { csrf_token: csrfIn(list), _method: "DELETE" });
    expect((await own.open("/mfa/sessions")).text.match(/action="\/mfa\/session\//g)).toBeNull();
  });

  test("a user cannot end another account's session", async () => {
    const [carol, alice] = [await signIn("carol"), await signIn("alice")];
    const [, uid = ""] = csrfIn(await alice.open("/mfa/sessions")).match(/^([\w-]+)\./) ?? [];
    const list = await carol.open("/mfa/sessions");
    await carol.post(`/mfa/session/${uid}`, { csrf_token: csrfIn(list), _method: "DELETE" });
    expect((await alice.get("/mfa/sessions")).status).toBe(200);
  });
});

test("a first visit with a language sets both cookies", async () => {
  const browser = newBrowser();
  await browser.get(`${home}/de`);
  expect([...browser.cookies.keys()].toSorted()).toEqual(["service_flow", "service_language"]);
});

describe("a user name", () => {
  const alice = "alice@example.test";
  const password = "alice-demo-password";

  test.each([
    ["NUL", `${alice}\0`],
    ["a C1 control character", `${alice}\u0085`],
    ["too many characters", "x".repeat(600)],
  ])("with %s is denied and not shown again", async (_what, username) => {
    const browser = newBrowser();
    const login = await browser.open("/mfa/register/home");
    const answer = await browser.submit(login, { username, password });
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('role="alert"')]);
    expect(answer.text).toContain('name="username" value=""');
    expect(browser.cookies.has("service_session")).toBe(false);
  });

  describe("characters that are not visible", () => {
    test.each([
      ["a TAB", `${alice}\t`],
      ["a zero-width space", `${alice}\u200B`],
      ["a byte order mark before it", `\uFEFF${alice}`],
    ])("are no part of a user name: %s", async (_what, username) => {
      const browser = newBrowser();
      const answer = await browser.submit(await browser.open("/mfa/register/home"), { username, password });
      expect([answer.status, answer.location]).toEqual([302, "/mfa/register/home"]);
    });

    test.each(["\t", "\u200B", " "])("are part of a password", async (character) => {
      const browser = newBrowser();
      const login = await browser.open("/mfa/register/home");
      const answer = await browser.submit(login, { username: alice, password: `${password}${character}` });
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('role="alert"')]);
    });
  });
});
