import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, createBrowser, hiddenFields, type Page } from "../../support/browser.ts";
import { redisContent, testRedis } from "../../support/redis-content.ts";
import { totpCode } from "../../support/totp-code.ts";
import { type IdpStack, startIdpStack } from "./idp-stack.ts";

let idp: IdpStack;

beforeAll(async () => {
  idp = await startIdpStack({}, { gateway: false, shape: "five" });
});

afterAll(() => idp[Symbol.asyncDispose]());

const home = "/mfa/register/home";
const alice = { username: "alice@example.test", password: "alice-demo-password" };
const bob = { username: "bob@example.test", password: "bob-demo-password" };
const newBrowser = (): Browser => createBrowser(idp.replicas);

async function signIn(browser: Browser, user: Record<string, string>): Promise<Page> {
  const login = await browser.open(home);
  expect([login.status, login.text]).toEqual([200, expect.stringContaining('autocomplete="current-password"')]);
  return browser.submit(login, user);
}

describe("a sign-in with a password", () => {
  test("redirects to where it began, with a new session, across two replicas", async () => {
    const browser = newBrowser();
    const answer = await signIn(browser, alice);
    expect([answer.status, answer.location]).toEqual([302, home]);
    const setCookie = answer.headers.getSetCookie().find((cookie) => cookie.startsWith("service_session="));
    expect(setCookie).toMatch(/^service_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
    const page = await browser.get(home);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining("Alice Example")]);
  });

  test("a wrong password, an unknown user and a malformed user name get the same page", async () => {
    const texts: string[] = [];
    for (const user of [
      { ...alice, password: "wrong" },
      { username: "nobody@example.test", password: "x" },
      { username: "DOMAIN\\user name (1)", password: "x" },
    ]) {
      const browser = newBrowser();
      const answer = await signIn(browser, user);
      expect(answer.status).toBe(200);
      expect(browser.cookies.has("service_session")).toBe(false);
      const { csrf_token: token = "" } = hiddenFields(answer);
      texts.push(
        answer.text
          .replaceAll(token, "")
          .replaceAll(/value="[^"]*" autocomplete="username/g, 'value="" autocomplete="username')
          .replaceAll(/flow=[\w-]+/g, ""),
      );
    }
    expect(texts[0]).toContain('role="alert"');
    expect(new Set(texts).size).toBe(1);
  });

  test("remember_me gives the cookie the configured lifetime", async () => {
    const answer = await signIn(newBrowser(), { ...alice, remember_me: "on" });
    const cookies = answer.headers.getSetCookie().join("\n");
    expect(cookies).toMatch(/service_session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly/);
    // The session's record lives as long, even if the session is not used.
    const redis = await testRedis(idp.stack.redis?.port ?? 0);
    const keys = await redis.keys("postern:session:{*");
    const lives = await Promise.all(keys.map((key) => redis.pttl(key)));
    redis.disconnect();
    const day = 86_400_000;
    expect(lives.filter((life) => life > 29 * day && life <= 30 * day)).toHaveLength(1);
  });

  test("a form that is sent twice in parallel creates one session, and both responses redirect", async () => {
    const browser = newBrowser();
    const login = await browser.open(home);
    const answers = await Promise.all([browser.submit(login, alice), browser.submit(login, alice)]);
    expect(answers.map(({ status, location }) => [status, location])).toEqual([
      [302, home],
      [302, home],
    ]);
    const sessions = answers.map(
      ({ headers }) =>
        headers
          .getSetCookie()
          .join()
          .match(/service_session=([^;]+)/)?.[1],
    );
    expect(sessions[0]).toBe(sessions[1]);
  });
});

describe("a page", () => {
  test("whose flow has expired returns 400, says so, and signs no user in", async () => {
    const browser = newBrowser();
    const login = await browser.open(home);
    const redis = await testRedis(idp.stack.redis?.port ?? 0);
    for (const key of await redis.keys("postern:flow:*")) {
      expect(await redis.ttl(key)).toBeLessThanOrEqual(3600);
      await redis.del(key);
    }
    redis.disconnect();
    for (const page of [await browser.submit(login, alice), await browser.get(login.url)]) {
      expect([page.status, page.text]).toEqual([400, expect.stringContaining("This page has expired")]);
    }
    expect(browser.cookies.has("service_session")).toBe(false);
    // A new sign-in works.
    expect((await signIn(browser, alice)).status).toBe(302);
  });

  test.each(["/login", "/login/mfa", "/login/totp", "/login/recovery", "/login/de", "/login/totp/ar"])(
    "GET %s without flow state returns a 400 page",
    async (path) => {
      const page = await newBrowser().get(path);
      expect([page.status, page.headers.get("content-type")]).toEqual([400, "text/html; charset=utf-8"]);
      expect(page.headers.get("cache-control")).toBe("no-store");
    },
  );

  test("POST without a csrf_token, with a wrong one or with another browser's is rejected with 400", async () => {
    const [mine, other] = [newBrowser(), newBrowser()];
    const login = await mine.open(home);
    const foreign = hiddenFields(await other.open(home));
    const { csrf_token: token = "" } = hiddenFields(login);
    for (const fields of [{}, { csrf_token: "" }, { csrf_token: `${token}x` }, foreign]) {
      expect((await mine.post("/login", { ...alice, ...fields })).status).toBe(400);
    }
    expect((await mine.post("/login", { csrf_token: token })).status).toBe(400);
    expect((await mine.submit(login, alice)).status).toBe(302);
  });

  test("of another browser's flow is rejected with 400", async () => {
    const [mine, other] = [newBrowser(), newBrowser()];
    const started = await other.get(home);
    await mine.open(home);
    expect((await mine.get(started.location ?? "")).status).toBe(400);
    expect((await other.get(started.location ?? "")).status).toBe(200);
  });

  test("is in the language that the tag in its path finds, then of the cookie; a malformed tag returns 404", async () => {
    const browser = newBrowser();
    expect((await browser.get("/logged_out/de_DE")).status).toBe(404);
    const dutch = await newBrowser().get("/logged_out/xx", { "accept-language": "nl" });
    expect([dutch.status, dutch.headers.get("content-language"), dutch.headers.getSetCookie()]).toEqual([
      200,
      "nl",
      [],
    ]);
    for (const tag of ["DE", "de-DE", "de-at-1996"])
      expect((await newBrowser().get(`/logged_out/${tag}`)).headers.get("content-language")).toBe("de");
    const arabic = await browser.get("/logged_out/ar");
    expect(arabic.text).toContain('<html lang="ar" dir="rtl">');
    expect((await browser.get("/logged_out")).text).toContain('lang="ar"');
    const german = await newBrowser().get("/logged_out", { "accept-language": "xx, de-AT;q=0.8, en;q=0.5" });
    expect([german.headers.get("content-language"), german.text]).toEqual([
      "de",
      expect.stringContaining("abgemeldet"),
    ]);
  });

  test("has no inline scripts, no inline styles and no sources from other sites, and is small", async () => {
    const page = await newBrowser().open(home);
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
    expect(page.text).not.toMatch(
      /<script(?! src="\/static\/(?:passkeys|page)\.[0-9a-f]{16}\.js" defer>)|style=|<style|https?:\/\/(?!www\.w3\.org)/,
    );
    const [, stylesheet = ""] = /href="(\/static\/style[^"]+)"/.exec(page.text) ?? [];
    const css = await newBrowser().get(stylesheet);
    expect([css.status, css.headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"]);
    expect(page.text.length + css.text.length).toBeLessThan(60_000);
    const older = await newBrowser().get(stylesheet.replace(/[0-9a-f]{16}/, "0123456789abcdef"));
    expect([older.status, older.headers.get("cache-control")]).toEqual([200, "no-store"]);
  });
});

describe("several tabs", () => {
  test("two flows of one browser end independently", async () => {
    const browser = newBrowser();
    const [one, two] = [await browser.open(home), await browser.open(`${home}/de`)];
    expect((await browser.submit(one, alice)).location).toBe(home);
    expect((await browser.submit(two, alice)).location).toBe(`${home}/de`);
  });

  test("a page without a flow identifier shows the latest flow; a finished step redirects to the current one", async () => {
    const browser = newBrowser();
    const login = await browser.open(home);
    expect((await browser.get("/login")).status).toBe(200);
    expect((await browser.get("/login/totp")).location).toMatch(/^\/login\?flow=/);
    expect((await browser.submit(login, alice)).status).toBe(302);
    const back = await browser.get(login.url);
    expect([back.status, back.location]).toEqual([302, home]);
  });
});

async function atChoice(browser: Browser): Promise<Page> {
  const answer = await signIn(browser, bob);
  expect([answer.status, answer.location]).toEqual([302, expect.stringMatching(/^\/login\/mfa\?flow=/)]);
  expect(browser.cookies.has("service_session")).toBe(false);
  return browser.get(answer.location ?? "");
}

const linkTo = (page: Page, path: string): string =>
  new RegExp(`href="(${path}\\?flow=[\\w-]+)"`).exec(page.text)?.[1] ?? "";

describe("a second factor", () => {
  test("is required after the password, and the account is inaccessible before it", async () => {
    const browser = newBrowser();
    await atChoice(browser);
    expect((await browser.get(home)).location).toMatch(/^\/login/);
  });

  test("a correct code signs in once and is rejected by every replica afterwards", async () => {
    const code = totpCode("JBSWY3DPEHPK3PXP");
    const browsers = [newBrowser(), newBrowser()];
    const pages: Page[] = [];
    for (const browser of browsers) pages.push(await browser.get(linkTo(await atChoice(browser), "/login/totp")));
    const [first, second] = browsers;
    const [one, two] = pages;
    if (first === undefined || second === undefined || one === undefined || two === undefined)
      throw new Error("expected two browsers");
    const wrong = await first.submit(one, { code: "000000" });
    expect([wrong.status, wrong.text]).toEqual([200, expect.stringContaining('role="alert"')]);
    const answers = await Promise.all([
      first.submit(one, { code }),
      second.submit(two, { code: `${code.slice(0, 3)} ${code.slice(3)}` }),
    ]);
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 302]);
    expect(answers.find(({ status }) => status === 302)?.location).toBe(home);
  });

  test("of parallel uses of one recovery code, one signs in; the code may be typed with an en dash", async () => {
    const browsers = [newBrowser(), newBrowser(), newBrowser()];
    const forms: (readonly [Browser, Page])[] = [];
    for (const browser of browsers) {
      forms.push([browser, await browser.get(linkTo(await atChoice(browser), "/login/recovery"))]);
    }
    const answers = await Promise.all(forms.map(([browser, page]) => browser.submit(page, { code: "ｂobs–race" })));
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 200, 302]);
  });

  test("going back discards the verified password", async () => {
    const browser = newBrowser();
    const choice = await atChoice(browser);
    const login = await browser.open(linkTo(choice, "/login/restart"));
    expect(login.text).toContain('autocomplete="current-password"');
    expect((await browser.get(linkTo(choice, "/login/totp"))).location).toMatch(/^\/login\?flow=/);
  });

  test("recovery codes alone do not count as a second factor", async () => {
    const answer = await signIn(newBrowser(), { username: "carol@example.test", password: "carol-demo-password" });
    expect(answer.location).toBe(home);
  });
});

describe("the developer UI", () => {
  test("lists and renders every page in every language", async () => {
    const browser = newBrowser();
    const list = await browser.get("/api/v1/dev/ui");
    expect(list.status).toBe(200);
    const links = [...list.text.matchAll(/href="(\/api\/v1\/dev\/ui\/render\/[^"]+)"/g)].map(([, path = ""]) => path);
    expect(links.length).toBe(36 * 13);
    for (const link of links) {
      const page = await browser.get(link);
      expect([link, page.status]).toEqual([link, 200]);
      expect([link, page.text]).toEqual([link, expect.not.stringMatching(/\{[a-z_]+\}|undefined/)]);
    }
    expect(JSON.parse((await browser.get("/api/v1/dev/ui/version")).text)).toEqual({ version: expect.any(String) });
    expect((await browser.get("/api/v1/dev/ui/render/idp_login.html/de")).status).toBe(200);
    expect((await browser.get("/api/v1/dev/ui/render/nothing")).status).toBe(404);
  });
});

describe("stored state", () => {
  test("in Redis contains no readable cookies, passwords, flow identifiers or user names", async () => {
    const browser = newBrowser();
    const login = await browser.open(home);
    await browser.submit(login, alice);
    const redis = await testRedis(Number(new URL(idp.stack.redis?.url ?? "").port));
    const content = JSON.stringify(await redisContent(redis));
    redis.disconnect();
    const secrets = [...browser.cookies.values(), alice.password, login.url.split("flow=")[1] ?? ""];
    for (const secret of secrets.filter((value) => value.length > 8)) expect(content).not.toContain(secret);
    expect(content).not.toContain("alice@example.test");
  });

  test("while no engine responds, the page says that the password is not the problem, and no failure is counted", async () => {
    const browser = newBrowser();
    const login = await browser.open(home);
    const [engine] = idp.stack.engines;
    await engine?.stop();
    const answer = await browser.submit(login, alice);
    expect([answer.status, answer.text]).toEqual([
      500,
      expect.stringContaining("This isn’t a problem with your password"),
    ]);
    await idp.stack.startEngine();
    expect((await browser.submit(login, alice)).status).toBe(302);
  });
});
