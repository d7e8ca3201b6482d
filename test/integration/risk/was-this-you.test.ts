import { poll } from "@postern/shared/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { atEachEngine, remembered } from "./sign-ins.ts";
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
  poll("the audit record", () => [users.idp.first, users.idp.second].some((one) => what.test(one.output())));

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
  expect((await stranger.post(path, tokenOf(seen))).status).toBe(400);
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

test("suspicious sign-ins are kept without name, address or password, for a week", async () => {
  const { redis } = users;
  const kept = await users.kept();
  expect(kept).toContain("risk:review:");
  expect(kept).not.toMatch(/alice|bob|carol|demo-password|192\.0\.2|198\.51/u);
  for (const key of await redis.keys("*risk:review:*")) expect(await redis.ttl(key)).toBeGreaterThan(600_000);
});
