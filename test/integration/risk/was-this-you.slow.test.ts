import { DatabaseSync } from "node:sqlite";
import { enrolmentsBeganKey } from "@postern/shared/platform/redis";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askJson } from "../../support/ask-json.ts";
import { type Browser, createBrowser } from "../../support/browser.ts";
import { totpCode } from "../../support/totp-code.ts";
import { atEachEngine, keptOf, remembered } from "./sign-ins.ts";
import {
  bot,
  confirmPath,
  home,
  justNow,
  login,
  longAgo,
  startUserStack,
  suspiciousPath,
  tokenOf,
  type UserStack,
} from "./user-stack.ts";

let users: UserStack;

beforeAll(async () => {
  const links = { password_change_url: "https://password.example.test/" };
  const dangerous = { score: 60, responses: ["hold_submission"] };
  users = await startUserStack(
    { known_after: "1m", weights: { new_source: 60 }, dangerous },
    { identity: { frontend: { links } } },
  );
}, 300_000);

afterAll(() => users[Symbol.asyncDispose]());

const submits = async (name: string, clientIp: string): Promise<number> =>
  (await users.byMail(name, clientIp, "smtp")).status;

/** Signs in at home and then, with a correct password, from a network that the account does not know. */
async function takeOver(name: string): Promise<void> {
  const { stack } = users.idp;
  const account = login(name).username;
  expect(await remembered(stack, { account }, () => submits(name, home))).toBe(200);
  expect(await remembered(stack, { account, kind: "review" }, () => submits(name, bot))).toBe(403);
}

/** What a submission of the user from the network gets, at each engine. */
const submitsAtEach = (name: string, clientIp: string) => atEachEngine(users.idp.stack, () => submits(name, clientIp));

const audited = (what: RegExp) =>
  poll("the audit record", () => users.idp.processes.some((one) => what.test(one.output())));

test("a browser that was signed in before confirms a sign-in, which ends the hold at every engine; the password alone does not", async () => {
  await takeOver("alice");
  const stranger = await users.browserOf("alice", justNow());
  const seen = await stranger.open(suspiciousPath);
  expect(seen.text).toContain("Was this you?");
  expect(confirmPath(seen)).toBeUndefined();
  const own = await users.browserOf("alice", longAgo());
  expect((await own.open("/mfa/register/home")).text).toContain("Unusual sign-ins: 1");
  const page = await own.open(suspiciousPath);
  expect(page.text).toContain("SMTP");
  expect(page.text).not.toContain(bot);
  const path = confirmPath(page) ?? "";
  expect((await stranger.post(path, tokenOf(seen))).status).toBe(403);
  expect(await submitsAtEach("alice", bot)).toEqual([403, 403]);
  const done = await own.post(path, tokenOf(page));
  expect([done.status, done.location]).toEqual([302, suspiciousPath]);
  expect((await own.open(suspiciousPath)).text).toMatch(
    /This sign-in is confirmed[\s\S]*There are no unusual sign-ins/u,
  );
  expect(await submitsAtEach("alice", bot)).toEqual([200, 200]);
  // Audit records leave a moment after the response.
  await audited(/"event":"risk.confirm".*"method":"known_device"/u);
});

test("a recent second factor confirms, an older one asks for the factor again", async () => {
  await takeOver("bob");
  const old = await users.browserOf("bob", justNow(1200));
  const page = await old.open(suspiciousPath);
  const path = confirmPath(page) ?? "";
  const again = await old.post(path, tokenOf(page));
  expect([again.status, again.location]).toEqual([302, expect.stringContaining("/login")]);
  expect(await submits("bob", bot)).toBe(403);
  const proven = await users.browserOf("bob", justNow(0));
  const shown = await proven.open(suspiciousPath);
  await proven.post(path, tokenOf(shown));
  expect(await submitsAtEach("bob", bot)).toEqual([200, 200]);
});

test("one button ends other sessions and app passwords, leads to the change of the password, and leaves the hold", async () => {
  await takeOver("carol");
  const [own, other] = [await users.browserOf("carol", justNow()), await users.browserOf("carol", longAgo())];
  expect((await other.open("/mfa/sessions")).status).toBe(200);
  const appPasswords = await own.open("/mfa/app-passwords");
  expect((await own.submit(appPasswords, { label: "Phone" })).status).toBe(200);
  expect((await own.open("/mfa/app-passwords")).text).toContain("Phone");
  const page = await own.open(suspiciousPath);
  const secured = await own.post(`${suspiciousPath}/secure`, tokenOf(page));
  expect([secured.status, secured.location]).toEqual([302, suspiciousPath]);
  const after = await own.open(suspiciousPath);
  expect(after.text).toMatch(/app passwords are deleted[\s\S]*href="https:\/\/password.example.test\/"/u);
  // The attacker may have added one.
  expect(after.text).toMatch(
    /authenticator app or passkey that isn’t yours[\s\S]*href="\/mfa\/register\/home">Check two-step/u,
  );
  expect((await other.get("/mfa/sessions")).status).toBe(401);
  expect((await own.open("/mfa/app-passwords")).text).not.toContain("Phone");
  expect(await submitsAtEach("carol", bot)).toEqual([403, 403]);
  await audited(/"risk.reject"/u);
});

/** Has the password of alice, under a name without second factors. */
const dora = "dora@example.test";
const doraSubmits = (clientIp: string, protocol = "smtp") =>
  askJson(users.idp.stack.url, {
    username: dora,
    password: login("alice").password,
    protocol,
    client_ip: clientIp,
  });

const review = async (): Promise<readonly { readonly network: string }[]> =>
  JSON.parse((await keptOf(users.idp.stack, dora, "review")) || "[]");

/** The page offers nothing, and neither does a form that is made up succeed. */
async function tryToConfirm(browser: Browser): Promise<void> {
  const page = await browser.open(suspiciousPath);
  expect(page.text).toContain("Was this you?");
  for (const { network } of await review()) {
    const answer = await browser.post(`${suspiciousPath}/${network}/confirm`, tokenOf(page));
    expect([answer.location, answer.status >= 400]).toEqual([undefined, true]);
  }
}

const accountHome = "/mfa/register/home";

/** Signs in on the pages from the attacker's network; `code` answers the page of a second factor, whose path is `factor`. */
async function attackerSignsIn(factor?: string, code = ""): Promise<Browser> {
  const browser = createBrowser(users.idp.replicas, bot);
  const { password } = login("alice");
  const fields = { username: dora, password, remember_me: "on" };
  const answer = await browser.submit(await browser.open(accountHome), fields);
  if (factor === undefined) {
    expect(answer.location).toBe(accountHome);
    return browser;
  }
  const [, query = ""] = (answer.location ?? "").split("?");
  const page = await browser.get(`${factor}?${query}`);
  expect((await browser.submit(page, { code })).location).toBe(accountHome);
  return browser;
}

const secretIn = ({ text }: { readonly text: string }): string =>
  (/<code class="secret">([A-Z2-7 ]+)</u.exec(text)?.[1] ?? "").replaceAll(" ", "");

async function enrolTotp(browser: Browser): Promise<string> {
  const page = await browser.open("/mfa/totp/register");
  const secret = secretIn(page);
  expect((await browser.submit(page, { code: totpCode(secret) })).status).toBe(302);
  return secret;
}

async function makeCodes(browser: Browser): Promise<readonly string[]> {
  const page = await browser.submit(await browser.open("/mfa/recovery/register"), {});
  expect((await browser.submit(page, {})).status).toBe(302);
  return [...page.text.matchAll(/<li><code>([A-Z2-9]{4}-[A-Z2-9]{4})</gu)].map(([, code = ""]) => code);
}

const week = 8 * 1440;

/** The test skips the week in which the page shows the sign-ins. */
async function waitAWeek(): Promise<void> {
  const { redis } = users;
  await redis.del(...(await redis.keys("*risk:*")));
  for (const key of await redis.keys("*factor:enrolled:*")) {
    for (const [id, value] of Object.entries(await redis.hgetall(key))) {
      const [minute = "", marks] = value.split(",");
      await redis.hset(key, id, `${(Number.parseInt(minute, 36) - week).toString(36)},${marks}`);
    }
  }
}

/** Each sign-in has another network, because engines report one once in half an hour. */
async function takeOverDora(from: string): Promise<void> {
  const { stack } = users.idp;
  // What an engine was about to write of the time before is dropped with the facts.
  await poll("a known account", async () => {
    // The sign-ins use IMAP, because many submissions in a network that is not known yet are suspicious.
    expect((await doraSubmits(home, "imap")).status).toBe(200);
    return (await keptOf(stack, dora, "facts")) !== "";
  });
  const isHeld = async () => (await doraSubmits(from)).status;
  expect(await remembered(stack, { account: dora, kind: "review" }, isHeld)).toBe(403);
}

test("an attacker with only the password confirms nothing, with any second factor that the attacker sets up", async () => {
  {
    using database = new DatabaseSync(users.idp.directoryFile);
    database.exec(
      `INSERT INTO users (username, password, display_name, mail, uid) SELECT '${dora}', password, 'Dora', '${dora}', 'dora' FROM users WHERE uid = 'alice'`,
    );
  }
  await takeOverDora(bot);
  const first = await attackerSignsIn();
  await tryToConfirm(first);
  const secret = await enrolTotp(first);
  await tryToConfirm(first);
  const codes = await makeCodes(first);
  const [one = "", two = "", three = "", four = "", five = ""] = codes;
  // A new session, which began with the new factor.
  await tryToConfirm(await attackerSignsIn("/login/totp", totpCode(secret, Math.floor(Date.now() / 30_000) + 1)));
  const second = await attackerSignsIn("/login/recovery", one);
  await tryToConfirm(second);
  // Another factor, set up with the first.
  await enrolTotp(second);
  await tryToConfirm(second);
  await tryToConfirm(await attackerSignsIn("/login/recovery", two));
  expect((await doraSubmits(bot)).status).toBe(403);
  // Neither does it help to reject the own sign-ins, which the password permits.
  const page = await second.open(suspiciousPath);
  expect((await second.post(`${suspiciousPath}/secure`, tokenOf(page))).status).toBe(302);
  const third = await attackerSignsIn("/login/recovery", three);
  await enrolTotp(third);
  await waitAWeek();
  await takeOverDora("198.18.0.7");
  await tryToConfirm(third);
  const fourth = await attackerSignsIn("/login/recovery", four);
  await tryToConfirm(fourth);
  // A flush erases the facts.
  await users.redis.del(...(await users.redis.keys("*risk:*")));
  await takeOverDora("198.18.9.7");
  await tryToConfirm(await attackerSignsIn("/login/recovery", five));
  expect((await doraSubmits("198.18.9.7")).status).toBe(403);
});

test("a second factor without a record was there before, unless Redis knows the account for a shorter time than enrolments are recorded", async () => {
  await takeOver("desk");
  const minute = Math.floor(Date.now() / 60_000);
  const confirmsWith = async (step: number) => {
    const browser = createBrowser(users.idp.replicas, home);
    const page = await browser.submit(await browser.open(accountHome), login("desk"));
    const factorPage = await browser.open(page.location ?? "");
    await browser.submit(factorPage, { code: totpCode("JBSWY3DPEHPK3PXQ", Math.floor(Date.now() / 30_000) + step) });
    const shown = await browser.open(suspiciousPath);
    const answer = await browser.post(confirmPath(shown) ?? `${suspiciousPath}/x/confirm`, tokenOf(shown));
    return [confirmPath(shown) !== undefined, answer.status];
  };
  const began = enrolmentsBeganKey.build("postern:");
  // Redis has lost everything, and records from now on.
  await users.redis.set(began, minute);
  expect(await confirmsWith(0)).toEqual([false, 302]);
  expect(await submits("desk", bot)).toBe(403);
  // An upgrade began to record.
  await users.redis.set(began, minute + 2);
  expect(await confirmsWith(1)).toEqual([true, 302]);
  expect(await submitsAtEach("desk", bot)).toEqual([200, 200]);
});

test("suspicious sign-ins are kept without name, address or password, for a week", async () => {
  const { redis } = users;
  const kept = await users.kept();
  expect(kept).toContain("risk:review:");
  expect(kept).not.toMatch(/alice|bob|carol|demo-password|192\.0\.2|198\.51/u);
  for (const key of await redis.keys("*risk:review:*")) expect(await redis.ttl(key)).toBeGreaterThan(600_000);
});
