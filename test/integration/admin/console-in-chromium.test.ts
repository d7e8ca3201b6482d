import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sharedChromium } from "../../support/chromium.ts";
import { act, ban, inEnglish, loginAt, searchFor, searchUntil, soon, tokenOn } from "./console-desk.ts";
import {
  auditLines,
  type ConsoleStack,
  cookieHeader,
  openConsole,
  passFactors,
  postAction,
  startConsoleStack,
} from "./console-stack.ts";

let desk: ConsoleStack;
let browser: Browser;

beforeAll(async () => {
  desk = await startConsoleStack();
  browser = await sharedChromium();
});

afterAll(async () => {
  await desk[Symbol.asyncDispose]();
});

const audited = (event: string) => auditLines(desk, event);
const cookieOf = (context: BrowserContext) => cookieHeader(context, desk);
const post = (action: string, posted: Parameters<typeof postAction>[2]) => postAction(desk, action, posted);
const login = (fields: object) => loginAt(desk, fields);

test("the help desk sees why a customer is blocked, and lifts the ban with a reason", async () => {
  await using context = await browser.newContext(inEnglish);
  const address = "203.0.113.77";
  expect((await login({ client_ip: address })).status).toBe(200);
  await ban(desk, address);
  const page = await openConsole(context, desk, "helen");
  await searchUntil(page, "alice", "blocked");
  expect(await page.locator(".verdict").innerText()).toContain(
    "3 failures from 203.0.113.0/24 (rule imap); this customer's own password was correct",
  );
  expect(await page.getByText("These accounts signed in from this network too:").isVisible()).toBe(true);
  expect(await page.locator(".timeline li").count()).toBeGreaterThan(1);
  // The action that helps stands beside the verdict.
  expect(await page.locator(".verdict .beside summary").first().innerText()).toContain("Unban");

  await act(page, "Unban", "203.0.113.0/24", "ticket 4711: <b>office</b>");
  await page.getByText("Done: Unban.").waitFor();
  await expect.poll(async () => (await login({ client_ip: address })).status, soon).toBe(200);
  expect(audited("console.action")).toContainEqual(
    expect.objectContaining({
      outcome: "ok",
      actor: "helen@example.test",
      target: "203.0.113.0/24",
      reason: "unban",
      note: "ticket 4711: <b>office</b>",
    }),
  );
  expect(audited("account.read")).toContainEqual(
    expect.objectContaining({ actor: "helen@example.test", target: "alice" }),
  );
  expect(audited("brute_force.flush")).toContainEqual(expect.objectContaining({ actor: "helen@example.test" }));
});

test("the cookie opens the console only, and the console's paths exist on its listener only", async () => {
  await using context = await browser.newContext(inEnglish);
  await openConsole(context, desk, "hugo");
  const session = (await context.cookies(desk.url)).find(({ name }) => name === "console_session");
  expect(session).toMatchObject({ sameSite: "Strict", httpOnly: true });
  const cookie = await cookieOf(context);
  const statusOf = async (url: string): Promise<number> =>
    (await fetch(url, { headers: { cookie }, redirect: "manual" })).status;
  expect(await statusOf(`${desk.url}/console/search`)).toBe(200);
  expect(await statusOf(`${desk.stack.url}/console/search`)).toBe(404);
  expect(await statusOf(`${desk.url}/api/v1/console/bans`)).toBe(404);
  expect(await statusOf(`${desk.url}/login`)).toBe(404);
  expect(await statusOf(`${desk.url}/healthz`)).toBe(404);
  expect(await statusOf(`${desk.stack.url}/api/v1/console/bans`)).toBe(401);
});

test("an action needs a form of this session: from the console's origin, by POST, with its token and a reason", async () => {
  await using context = await browser.newContext(inEnglish);
  const page = await openConsole(context, desk, "ada");
  await searchFor(page, "carol@example.test");
  const cookie = await cookieOf(context);
  const form = { csrf_token: await tokenOn(page), target: "carol@example.test", reason: "ticket 1" };
  const statuses = await Promise.all([
    post("flush", { cookie, form }),
    post("flush", { cookie, form, origin: "" }),
    post("flush", { cookie, form, origin: "null" }),
    post("flush", { cookie, form, origin: desk.issuer }),
    post("flush", { cookie, form: { ...form, csrf_token: `${form.csrf_token.slice(1)}A` } }),
    post("flush", { cookie: "", form }),
    post("flush", { cookie, form: { ...form, reason: " x " } }),
    post("no-such-action", { cookie, form }),
    fetch(`${desk.url}/console/actions/flush`, { headers: { cookie }, redirect: "manual" }),
  ]);
  expect(statuses.map(({ status }) => status)).toEqual([303, 403, 403, 403, 403, 403, 400, 404, 404]);
  expect(audited("console.action").filter(({ target }) => target === "carol@example.test")).toHaveLength(1);
});

describe("by role", () => {
  test("the role helpdesk neither sees nor may use actions of the role security", async () => {
    await using context = await browser.newContext(inEnglish);
    const page = await openConsole(context, desk, "hugo");
    await searchFor(page, "carol@example.test");
    expect(await page.locator("main .acts summary").allTextContents()).toEqual([
      expect.stringContaining("Flush"),
      expect.stringContaining("Unlock second factors"),
      expect.stringContaining("Forget remembered devices"),
    ]);
    const cookie = await cookieOf(context);
    const form = { csrf_token: await tokenOn(page), target: "carol@example.test", reason: "ticket 2" };
    for (const action of ["end-sessions", "reset-totp", "reset-recovery"]) {
      expect([action, (await post(action, { cookie, form })).status]).toEqual([action, 403]);
    }
    const own = await post("flush", { cookie, form: { ...form, target: "helen" } });
    expect([own.status, await own.text()]).toEqual([403, expect.stringContaining("the same role as yours")]);
    const ofHugo = audited("console.action").filter(({ actor }) => actor?.startsWith("hugo"));
    const denied = ofHugo.filter(({ outcome }) => outcome === "denied");
    expect(denied.map(({ reason }) => reason)).toEqual(["end-sessions", "reset-totp", "reset-recovery", "flush"]);
  });

  test("an account without a role, or without a second factor, is not admitted", async () => {
    await using context = await browser.newContext(inEnglish);
    const page = await context.newPage();
    await page.goto(`${desk.url}/console`);
    await passFactors(page, "paul");
    await page.getByRole("heading", { name: "Second factor required" }).waitFor();
    expect(await cookieOf(context)).not.toContain("console_session=");
    expect(audited("console.sign_in").at(-1)).toMatchObject({ outcome: "denied", reason: "one_factor" });
  });
});

test("without Redis, every page says so and no action is carried out", async () => {
  await using context = await browser.newContext(inEnglish);
  const page = await openConsole(context, desk, "ada");
  await searchFor(page, "carol@example.test");
  const cookie = await cookieOf(context);
  const form = { csrf_token: await tokenOn(page), target: "carol@example.test", reason: "ticket 3" };
  const before = audited("console.action").length;
  await desk.stack.redis?.stop();
  const response = await post("flush", { cookie, form });
  expect([response.status, await response.text()]).toEqual([503, expect.stringContaining("Redis is unavailable")]);
  await page.reload();
  expect(await page.getByRole("heading").innerText()).toBe("Redis is unavailable");
  expect(audited("console.action")).toHaveLength(before);
});
