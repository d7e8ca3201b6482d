import { DatabaseSync } from "node:sqlite";
import { Secret } from "@postern/shared/platform/crypto";
import { callerAssertionHeader, createCallerSigner } from "@postern/shared/platform/http";
import { poll } from "@postern/testing";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { askJson } from "../../support/ask-json.ts";
import { axeProblems } from "../../support/axe.ts";
import { sharedChromium } from "../../support/chromium.ts";
import { keyboardProblems, layoutProblems } from "../../support/page-rules.ts";
import { assertionSecret } from "../../support/stack-config.ts";
import {
  actionIn,
  auditLines,
  type ConsoleStack,
  cookieHeader,
  type OperatorName,
  openAction,
  openConsole,
  passFactors,
  postAction,
  startConsoleStack,
} from "./console-stack.ts";

let desk: ConsoleStack;
let browser: Browser;

beforeAll(async () => {
  desk = await startConsoleStack({}, { shape: "five" });
  browser = await sharedChromium();
});

afterAll(async () => {
  await desk[Symbol.asyncDispose]();
});

const inEnglish = { locale: "en-US" };
const carol = "carol@example.test";
/** Of the demo. */
const carolsAppPassword = "app-careed-emeapp-asswer-dferca-reprgj";
const hostile = `<img src=x onerror=alert(1)>`;
const actions = () => auditLines(desk, "console.action");
const tokenOn = (page: Page): Promise<string> => page.locator('input[name="csrf_token"]').first().inputValue();

const management = (method: string, path: string, body?: object) =>
  askAdmin(desk.stack, method, `/api/v1/mfa-backchannel/${path}`, body === undefined ? {} : { body });

async function openAccount(context: BrowserContext, operator: OperatorName, account: string): Promise<Page> {
  const page = await openConsole(context, desk, operator);
  await page.getByRole("link", { name: "Account", exact: true }).click();
  await page.getByLabel("Account or alias").fill(account);
  await page.getByRole("button", { name: "Show" }).click();
  await page.locator(".verdict").waitFor();
  return page;
}

/** Opens one thing of the account, and its action. */
async function act(page: Page, thing: string, label: string, reason: string): Promise<void> {
  const item = actionIn(page, label, { within: page.locator(".things > li", { hasText: thing }).first() });
  await openAction(item);
  await item.getByLabel("Reason").fill(reason);
  await item.getByRole("button", { name: label }).click();
  await page.getByText(`Done: ${label}.`).waitFor();
}

const credential = (id: string, name: string) =>
  JSON.stringify({ id, publicKey: "b3BlbiBzZXNhbWU", signCount: 1, name });

test("the account page shows credentials without secrets, and removes a passkey and an app password one by one", async () => {
  for (const text of [credential("AQID", hostile), credential("BAUG", "second key")])
    expect((await management("POST", "webauthn/credential", { username: carol, credential: text })).status).toBe(200);
  const login = () => askJson(desk.stack.url, { username: carol, password: carolsAppPassword, protocol: "imap" });
  expect((await login()).status).toBe(200);
  await using context = await browser.newContext({ ...inEnglish, bypassCSP: true });
  const page = await openAccount(context, "sam", "carol");
  await page.locator(".card > summary", { hasText: "Backends" }).click();
  const text = await page.locator("main").innerText();
  for (const shown of [carol, hostile, "second key", "demo phone", "imap, smtp", "Has the account.", "Recovery codes"])
    expect(text).toContain(shown);
  expect(await page.content()).not.toContain("b3BlbiBzZXNhbWU");
  expect(page.url()).not.toContain("carol");
  expect(await page.locator("main img, main script").count()).toBe(0);

  await page.setViewportSize({ width: 320, height: 640 });
  await page.evaluate("document.querySelectorAll('details').forEach((part) => (part.open = true))");
  expect(await layoutProblems(page)).toEqual([]);
  expect(await keyboardProblems(page)).toEqual([]);
  expect(await axeProblems(page)).toEqual([]);
  await page.reload();

  await act(page, hostile, "Remove the passkey", `lost <b>key</b>`);
  const { body } = await management("GET", `factors?username=${carol}`);
  expect(body).toMatchObject({ passkeys: [{ id: "BAUG", name: "second key" }] });
  await act(page, "demo phone", "Remove the app password", "stolen phone");
  expect((await login()).status).toBe(403);
  const about = { actor: "sam@example.test", outcome: "ok", target: carol };
  expect(actions()).toContainEqual(
    expect.objectContaining({ ...about, reason: "remove-passkey", item: "AQID", note: "lost <b>key</b>" }),
  );
  expect(actions()).toContainEqual(expect.objectContaining({ ...about, reason: "remove-app-password" }));
  expect(auditLines(desk, "app_password.delete")).toContainEqual(
    expect.objectContaining({ actor: "sam@example.test", target: carol }),
  );
});

test("one of two browsers is signed out, the other stays", async () => {
  await using first = await browser.newContext({ ...inEnglish, userAgent: "First browser" });
  await using second = await browser.newContext({ ...inEnglish, userAgent: "Second browser" });
  const homes: Page[] = [];
  for (const context of [first, second]) {
    const home = await context.newPage();
    await home.goto(`${desk.issuer}/mfa/register/home`);
    await passFactors(home, "victor");
    await home.getByRole("heading", { name: "Your account" }).waitFor();
    homes.push(home);
  }
  await using context = await browser.newContext(inEnglish);
  const page = await openAccount(context, "ada", "victor");
  await act(page, "First browser", "End", "left a library");
  expect(await page.locator(".things > li", { hasText: "First browser" }).count()).toBe(0);
  expect(await page.locator(".things > li", { hasText: "Second browser" }).count()).toBe(1);
  const paths: string[] = [];
  for (const home of homes) {
    await home.reload();
    paths.push(new URL(home.url()).pathname);
  }
  expect(paths).toEqual(["/login", "/mfa/register/home"]);
});

test("the role helpdesk sees the account, neither sees nor may use what removes credentials or sessions", async () => {
  await using context = await browser.newContext(inEnglish);
  const page = await openAccount(context, "hugo", "victor");
  expect(await page.locator("main .acts summary").allTextContents()).toEqual([
    expect.stringContaining("Flush"),
    expect.stringContaining("Unlock second factors"),
  ]);
  const cookie = await cookieHeader(context, desk);
  const form = { csrf_token: await tokenOn(page), target: "victor@example.test", item: "AQID", reason: "ticket 2" };
  for (const action of ["remove-passkey", "remove-app-password", "end-session"])
    expect([action, (await postAction(desk, action, { cookie, form })).status]).toEqual([action, 403]);
  const without = { csrf_token: form.csrf_token, target: form.target, reason: form.reason };
  expect((await postAction(desk, "end-session", { cookie, form: without })).status).toBe(400);
  expect((await postAction(desk, "flush", { cookie, form })).status).toBe(400);
});

test("an operator changes neither their own account, nor one of the same role, nor a disabled one", async () => {
  await using context = await browser.newContext(inEnglish);
  const page = await openAccount(context, "sam", "sam");
  await page.getByText("This is your own account.").waitFor();
  expect(await page.locator("main .acts").count()).toBe(0);
  const cookie = await cookieHeader(context, desk);
  const token = await tokenOn(page);
  using directory = new DatabaseSync(desk.directoryFile);
  directory.exec("UPDATE users SET enabled = 0 WHERE uid = 'paul'");
  for (const target of ["sam", "sue@example.test", "ada", "paul"]) {
    const form = { csrf_token: token, target, item: "AQID", reason: "ticket 3" };
    expect([target, (await postAction(desk, "remove-passkey", { cookie, form })).status]).toEqual([target, 403]);
  }
});

test("either replica of admin reads the address of a page, and carries out an action of a form that the other sent", async () => {
  await using context = await browser.newContext(inEnglish);
  const page = await openAccount(context, "ada", "victor");
  const sign = createCallerSigner({ secret: new Secret(assertionSecret), ttlSeconds: 30 });
  const caller = { method: "none", scopes: [], clientIp: "127.0.0.1", session: "test" } as const;
  const headers = {
    cookie: await cookieHeader(context, desk),
    origin: desk.url,
    [callerAssertionHeader]: await sign(caller, "admin"),
  };
  const shown = await fetch(page.url().replace(desk.url, desk.second.url), { headers });
  expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining("victor@example.test")]);
  const body = new URLSearchParams({ csrf_token: await tokenOn(page), target: "victor", reason: "at the other" });
  const url = `${desk.second.url}/console/actions/reset-totp`;
  const done = await fetch(url, { method: "POST", headers, body, redirect: "manual" });
  expect(done.status).toBe(303);
  expect((await management("GET", "factors?username=victor")).body).toMatchObject({ totp: false });
});

test("with all engines and the identity provider stopped, the page says what is missing", async () => {
  await using context = await browser.newContext(inEnglish);
  const page = await openAccount(context, "helen", carol);
  const stopped = [...desk.stack.engines, desk.stack.services.get("idp")];
  await Promise.all(stopped.map(async (service) => service?.stop()));
  const isShown = async (): Promise<boolean> => {
    await page.reload();
    return (await page.locator("div.note").count()) === 1;
  };
  await poll("what is missing", isShown);
  const text = await page.locator("div.note").innerText();
  for (const missing of [
    "engines could not be queried",
    "sessions could not be read",
    "second factors could not be read",
  ])
    expect(text).toContain(missing);
});
