import { DatabaseSync } from "node:sqlite";
import {
  type ConsoleActionId,
  type ConsoleRole,
  consoleActions,
  isConsoleAction,
  mayAct,
} from "@postern/shared/contracts";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sharedChromium } from "../../support/chromium.ts";
import { account, type Case, effects, inEnglish, tidy } from "./console-effects.ts";
import {
  type AuditLine,
  actionIn,
  auditLines,
  type ConsoleStack,
  type ConsoleStackOptions,
  cookieHeader,
  type OperatorName,
  openAction,
  openConsole,
  postAction,
  searchLabel,
  startConsoleStack,
} from "./console-stack.ts";

let desk: ConsoleStack;
let browser: Browser;
let directory: DatabaseSync;

async function show(page: Page, { id, address }: Case): Promise<void> {
  const isNetwork = consoleActions[id].target === "network";
  await page.getByRole("link", { name: isNetwork ? "Search" : "Account", exact: true }).click();
  await page
    .getByLabel(isNetwork ? searchLabel : "Account or alias", { exact: true })
    .fill(isNetwork ? address : account);
  await page.getByRole("button", { name: isNetwork ? "Search" : "Show", exact: true }).click();
  await page.locator(".verdict").waitFor();
}

/** The action on the page of the operator. */
function offered(page: Page, { id, address }: Case): Locator {
  const { label, target } = consoleActions[id];
  const { thing } = effects[id];
  const about = target === "network" ? networkOf(address) : account;
  return thing === undefined
    ? actionIn(page, label, { about })
    : actionIn(page, label, { within: page.locator(".things > li", { hasText: thing }).first() });
}

const networkOf = (address: string): string => address.replace(/\d+$/u, "0/24");

/** The audit line without what only some actions have. */
const lineOf = (about: Case, actor: string): Partial<AuditLine> => {
  const { item } = effects[about.id];
  const target = consoleActions[about.id].target === "network" ? networkOf(about.address) : account;
  return { actor, target, reason: about.id, ...(item !== undefined && { item }) };
};

/** Number of lines that the operation wrote in the operator's name. */
const ofOperation = (event: string, actor: string): number =>
  auditLines(desk, event).filter((line) => line.actor === actor).length;

const soon = { timeout: 30_000 };
const operators: Readonly<Record<ConsoleRole, OperatorName>> = { helpdesk: "helen", security: "sam", admin: "ada" };
const blocks: Readonly<Record<ConsoleRole, number>> = { helpdesk: 10, security: 40, admin: 70 };
const ids = Object.keys(consoleActions).filter((id) => isConsoleAction(id));
const may = (role: ConsoleRole, id: ConsoleActionId): boolean => mayAct({ role }, id, { resetsFactors: false });

function testRole(role: ConsoleRole): void {
  const actor = `${operators[role]}@example.test`;
  let context: BrowserContext;
  let page: Page;
  let password = "";

  beforeAll(async () => {
    password = String(directory.prepare("SELECT password FROM users WHERE uid = 'alice'").get()?.["password"]);
    context = await browser.newContext(inEnglish);
    page = await openConsole(context, desk, operators[role]);
  });

  afterAll(() => context.close());

  async function prepared(id: ConsoleActionId): Promise<Case & AsyncDisposable> {
    const about: Case = {
      desk,
      browser,
      directory,
      id,
      role,
      address: `198.51.${blocks[role] + ids.indexOf(id)}.7`,
      customers: [],
    };
    const { prepare, state, before } = effects[id];
    await prepare(about);
    await expect.poll(() => state(about), soon).toEqual(before);
    await show(page, about);
    return { ...about, [Symbol.asyncDispose]: () => tidy(about, password) };
  }

  const own = ids.filter((id) => may(role, id));
  test.each(own)("does %s: in effect at every engine, and in the audit stream with its reason", async (id) => {
    await using about = await prepared(id);
    const { state, after, event } = effects[id];
    const { label } = consoleActions[id];
    const note = `ticket of ${role} for ${id}`;
    const item = offered(page, about).first();
    const before = ofOperation(event, actor);
    await openAction(item);
    await item.getByLabel("Reason").fill(note);
    await item.getByRole("button", { name: label }).click();
    await page.getByText(`Done: ${label}.`).waitFor();
    await expect.poll(() => state(about), soon).toEqual(after);
    const line = { ...lineOf(about, actor), outcome: "ok", note };
    expect(auditLines(desk, "console.action")).toContainEqual(expect.objectContaining(line));
    expect(ofOperation(event, actor)).toBeGreaterThan(before);
  });

  const others = ids.filter((id) => !may(role, id));
  test.each(others)("is not offered %s, gets 403, and nothing has changed", async (id) => {
    await using about = await prepared(id);
    expect(await offered(page, about).count()).toBe(0);
    const csrf_token = await page.locator('input[name="csrf_token"]').first().inputValue();
    const { item = "0123456789abcdef" } = effects[id];
    const isItem = consoleActions[id].target !== "account";
    const form = { csrf_token, target: account, reason: "ticket without a right", ...(isItem && { item }) };
    const cookie = await cookieHeader(context, desk);
    expect((await postAction(desk, id, { cookie, form })).status).toBe(403);
    expect(await effects[id].state(about)).toEqual(effects[id].before);
    const denied = { actor, target: account, reason: id, outcome: "denied", note: form.reason };
    expect(auditLines(desk, "console.action")).toContainEqual(expect.objectContaining(denied));
  });
}

/** Tests of each action of the console, in Chromium, by operators of these roles. To be called once in a file. */
export function testEffects(roles: readonly ConsoleRole[], more: Pick<ConsoleStackOptions, "shape"> = {}): void {
  beforeAll(async () => {
    const settings = { auth: { pipeline: { local_cache_ttl: "10m" } } };
    desk = await startConsoleStack(settings, { engines: 2, order: ["cache", "sql"], ...more });
    browser = await sharedChromium();
    directory = new DatabaseSync(desk.directoryFile);
  });

  afterAll(async () => {
    directory.close();
    await desk[Symbol.asyncDispose]();
  });

  describe.each(roles)("the role %s", (role) => {
    testRole(role);
  });
}
