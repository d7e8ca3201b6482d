import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { mmdbFile, poll, scratchFolder } from "@postern/testing";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { alice, askJson } from "../../support/ask-json.ts";
import { policyClient } from "../../support/auth-policy.ts";
import { axeProblems } from "../../support/axe.ts";
import { sharedChromium } from "../../support/chromium.ts";
import { keyboardProblems, layoutProblems } from "../../support/page-rules.ts";
import { type ConsoleStack, openConsole, startConsoleStack } from "./console-stack.ts";

const network = "198.51.100.0/24";
const home = "192.0.2.7";
const bot = "198.51.100.9";

let folder: Awaited<ReturnType<typeof scratchFolder>>;
let desk: ConsoleStack;
let browser: Browser;

beforeAll(async () => {
  folder = await scratchFolder();
  const [city_file, system_file] = [join(folder.path, "city.mmdb"), join(folder.path, "system.mmdb")];
  writeFileSync(
    city_file,
    mmdbFile("City", {
      "192.0.2.0/24": { country: { iso_code: "DE" } },
      "198.51.100.0/24": { country: { iso_code: "NG" } },
    }),
  );
  const owner = { autonomous_system_number: 64_500, autonomous_system_organization: "Example Cable" };
  writeFileSync(system_file, mmdbFile("ASN", { "192.0.2.0/24": owner }));
  desk = await startConsoleStack(
    {
      auth: { risk: { city_file, system_file } },
      runtime: { servers: { http: { auth_policy_endpoint: true } } },
    },
    { shape: "five" },
  );
  browser = await sharedChromium();
});

afterAll(async () => {
  await desk[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const signIn = (fields: object = {}) =>
  askJson(desk.stack.url, { ...alice, protocol: "imap", client_ip: home, ...fields });
const apiOf = async (path: string, query: Readonly<Record<string, string>>): Promise<Record<string, unknown>> => {
  const { body } = await askAdmin(
    desk.stack,
    "GET",
    `/api/v1/console/${path}?${new URLSearchParams(query).toString()}`,
  );
  return Object(body);
};

async function find(page: Page, query: string): Promise<void> {
  await page.getByRole("link", { name: "Search", exact: true }).click();
  await page.getByLabel("Account, alias, address, network or reference").fill(query);
  await page.getByRole("button", { name: "Search" }).click();
  await page.locator(".verdict").waitFor();
}

async function openNetwork(page: Page): Promise<void> {
  await page.getByText("Rules, accounts and sign-ins over time").getByRole("link").click();
  await page.getByRole("heading", { name: `Network ${network}` }).waitFor();
}

async function expectAccessible(page: Page): Promise<void> {
  for (const width of [320, 390, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    expect([width, await layoutProblems(page)]).toEqual([width, []]);
  }
  expect(await axeProblems(page)).toEqual([]);
  expect(await keyboardProblems(page)).toEqual([]);
}

test("records have the place of their address, and a network its counts, bans and number of wrong passwords", async () => {
  for (let count = 0; count < 2; count += 1) expect((await signIn()).status).toBe(200);
  for (let count = 0; count < 4; count += 1) await signIn({ password: `wrong-${count}`, client_ip: bot });
  const records = await poll("the records of the account", async () => {
    const { records: found, places } = await apiOf("history", { account: alice.username, limit: "50" });
    const texts = JSON.stringify(found);
    return texts.includes(home) && texts.includes("blocked") ? { found, places } : undefined;
  });
  expect(records.places).toBe("known");
  const place = { country: "DE", system: 64_500, owner: "Example Cable" };
  expect(records.found).toContainEqual(expect.objectContaining({ client_ip: home, network: "192.0.2.0/24", place }));
  expect(records.found).toContainEqual(expect.objectContaining({ client_ip: bot, network, place: { country: "NG" } }));
  const report = await apiOf("network", { network });
  expect(report).toMatchObject({
    network,
    place: { country: "NG" },
    bans: [{ network, rule: "imap" }],
    rules: [{ rule: "imap", network, failures: 3, limit: 3, period_seconds: 600 }],
    distinct_passwords: 3,
    incomplete: [],
  });
  expect((await askAdmin(desk.stack, "GET", "/api/v1/console/network?network=10.0.0.0%2F8")).status).toBe(400);
  expect((await askAdmin(desk.stack, "GET", "/api/v1/console/network?network=alice")).status).toBe(400);
});

test("the account's page shows its sign-ins by network and its changes, and a mark selects one, without scripts", async () => {
  await using context = await browser.newContext({ locale: "en-US", bypassCSP: true, javaScriptEnabled: false });
  const page = await openConsole(context, desk, "helen");
  await find(page, network);
  await openNetwork(page);
  const text = await page.locator("main").innerText();
  for (const shown of ["3 of 3", "about 3 different", "alice@example.test", "Nigeria", "Unban"])
    expect(text).toContain(shown);
  await askAdmin(desk.stack, "DELETE", "/api/v1/cache/flush", { body: { user: alice.username } });
  await find(page, alice.username);
  await page.getByRole("link", { name: "Second factors, app passwords, sessions and backends" }).click();
  const rows = page.locator(".lanes tbody tr");
  await poll("the change of the account", async () => {
    await page.reload();
    return (await page.getByText("Account flushed by an operator").count()) === 1;
  });
  expect(await rows.first().innerText()).toMatch(/198\.51\.100\.0\/24[\s\S]*Nigeria/u);
  expect(await rows.nth(1).innerText()).toContain("Germany, Example Cable (AS64500)");
  // Marks of one moment lie over each other; the last one is on top.
  await page.locator(".lane").first().locator("a").last().click();
  expect(await page.locator(".timeline li:target").count()).toBe(1);
  await rows.first().getByRole("rowheader").getByRole("link").click();
  expect(await page.locator("h1").innerText()).toBe(`Network ${network}`);
});

test("a search understands an account with a mail program, and a program alone after a search for the account", async () => {
  await signIn({ user_agent: "iPhone Mail (21A329)", password: "wrong", client_ip: "203.0.113.77" });
  await poll("the record with the program", async () =>
    JSON.stringify(await apiOf("history", { account: alice.username })).includes("iPhone Mail"),
  );
  await using context = await browser.newContext({ locale: "en-US", bypassCSP: true, javaScriptEnabled: false });
  const page = await openConsole(context, desk, "sue");
  for (const query of [`${alice.username} iphone`, alice.username, "iPhone mail"]) {
    await find(page, query);
    const shown = await page.locator(".timeline").innerText();
    expect(shown).toContain("iPhone Mail (21A329)");
    expect([query, shown.includes(home)]).toEqual([query, query === alice.username]);
  }
  await page.getByRole("link", { name: "iPhone Mail (21A329)" }).click();
  expect(await page.locator(".timeline > li").count()).toBe(1);
  await find(page, `${alice.username} Thunderbird`);
  expect(await page.locator("main").innerText()).toContain("None of the latest sign-ins is with a program like");
});

test("both pages fit every width, are usable by keyboard, and axe finds nothing", async () => {
  await using context = await browser.newContext({ locale: "en-US", bypassCSP: true });
  const page = await openConsole(context, desk, "sam");
  await find(page, network);
  await openNetwork(page);
  await expectAccessible(page);
  await page.locator(".lanes").getByRole("link", { name: alice.username }).click();
  await page.getByRole("heading", { name: "Sign-ins of the last 30 days" }).waitFor();
  expect(await page.locator("h1").innerText()).toBe(alice.username);
  await expectAccessible(page);
});

test("the page Where from counts every sign-in by country and network owner, fits every width, and axe finds nothing", async () => {
  // A mail server's report, and the sign-ins of the tests before; the operators' own come from a private network.
  const reported = await policyClient(desk.stack.url).success({ login: alice.username, remote: "192.0.2.200" });
  expect(reported.http).toBe(200);
  const counts = await poll("the counts by place", async () => {
    const found = await apiOf("origins", { range: "24h" });
    const { refused = 0 } = Object(found.all);
    // Reports are on their way too.
    return refused >= 5 && JSON.stringify(found.systems).includes('"ok":3') ? found : undefined;
  });
  expect(counts).toMatchObject({
    places: "known",
    countries: [
      { country: "NG", ok: 0, refused: 4 },
      { country: "DE", ok: 3, refused: 0 },
    ],
    systems: [{ system: 64_500, owner: "Example Cable", ok: 3, refused: 0 }],
    unknown_system: { refused: 5 },
  });
  await using context = await browser.newContext({ locale: "en-US", bypassCSP: true, javaScriptEnabled: false });
  const page = await openConsole(context, desk, "helen");
  await page.getByRole("link", { name: "Where from" }).click();
  await page.getByRole("link", { name: "7 days" }).click();
  expect(await page.locator(".world circle").count()).toBe(1);
  expect(await page.locator(".world circle title").textContent()).toBe("Nigeria: 4 refused, 0 successful");
  await page.getByRole("link", { name: "Successful" }).click();
  expect(await page.locator(".world circle title").textContent()).toBe("Germany: 0 refused, 3 successful");
  expect(page.url()).toContain("range=7d");
  expect(await page.getByRole("table", { name: "Network owners" }).innerText()).toContain("Example Cable (AS64500)");
  await using scripted = await browser.newContext({ locale: "en-US", bypassCSP: true });
  const other = await openConsole(scripted, desk, "hugo");
  await other.goto(page.url());
  await expectAccessible(other);
});

test("users see the sign-ins to their own account, and no other's", async () => {
  await using context = await browser.newContext({ locale: "en-US", bypassCSP: true });
  const page = await openConsole(context, desk, "hugo");
  await poll("the sign-in to the console", async () => {
    await page.goto(`${desk.issuer}/mfa/sign-ins`);
    return (await page.locator(".things li").count()) > 0;
  });
  const text = await page.locator("main").innerText();
  expect(text).toContain("Web browser");
  expect(text).not.toMatch(/198\.51\.100|192\.0\.2|Nigeria/u);
  expect(await page.getByRole("button", { name: "No, secure my account" }).count()).toBe(1);
  await expectAccessible(page);
  await page.goto(`${desk.issuer}/mfa/register/home`);
  await page.getByRole("link", { name: "Recent sign-ins" }).click();
  await page.getByRole("heading", { name: "Recent sign-ins" }).waitFor();
});
