import { DatabaseSync } from "node:sqlite";
import { consolePages, operation, pathTo } from "@postern/shared/contracts";
import { poll } from "@postern/testing";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { askJson } from "../../support/ask-json.ts";
import { sharedChromium } from "../../support/chromium.ts";
import {
  actionIn,
  type ConsoleStack,
  openAction,
  openConsole,
  passFactors,
  searchLabel,
  startConsoleStack,
} from "./console-stack.ts";

/** Sets a variable of the page if a browser takes it for markup, wherever in the page it stands. */
const hostile = (place: string): string =>
  `${place}'"></time></title></textarea><img src=x onerror=window.harmed=1><svg onload=window.harmed=1><script>window.harmed=1</script>{{7*7}}`;

/** Postern stores labels of at most 64 characters. */
const hostileLabel = `label'"><img src=x onerror=window.harmed=1>`;

/** The name of a rule may be this long. */
const ruleName = `rule'"><img src=x onerror=window.harmed=1>`;
const rule = { name: ruleName, period: "10m", ban_time: "1h", cidr: 24, failed_requests: 3, ipv4: true };
const victor = "victor@example.test";
let desk: ConsoleStack;
let browser: Browser;
/** Of an operator. Loaded without the policy, so that it is the page itself that is harmless. */
let page: Page;

beforeAll(async () => {
  desk = await startConsoleStack({
    auth: { controls: { brute_force: { buckets: [rule] } } },
    identity: { frontend: { branding: { name: ruleName } } },
  });
  browser = await sharedChromium();
  await plant();
  await signInWithHostileBrowser();
  page = await openConsole(await browser.newContext({ locale: "en-US", bypassCSP: true }), desk, "ada");
});

afterAll(async () => {
  await page.context().close();
  await desk[Symbol.asyncDispose]();
});

const post = (path: string, body: object) => askAdmin(desk.stack, "POST", `/api/v1/mfa-backchannel/${path}`, { body });

/** What users, mail servers and backends can choose: names, protocols, labels, attributes, browsers. */
async function plant(): Promise<void> {
  const credential = JSON.stringify({ id: "AQID", publicKey: "AQID", signCount: 1, name: hostile("passkey") });
  expect((await post("webauthn/credential", { username: "carol@example.test", credential })).status).toBe(200);
  using directory = new DatabaseSync(desk.directoryFile);
  directory
    .prepare("UPDATE users SET display_name = ?, mail = ? WHERE uid = 'carol'")
    .run(hostile("display"), hostile("mail"));
  directory.prepare("UPDATE postern_app_passwords SET label = ?").run(hostileLabel);
  const wrong = { password: "wrong", client_ip: "198.51.100.66" };
  for (const username of [hostile("name"), "carol@example.test", "carol@example.test", "carol@example.test"])
    await askJson(desk.stack.url, {
      ...wrong,
      username,
      protocol: hostile("imap"),
      password: `wrong ${Math.random()}`,
    });
  await askJson(desk.stack.url, { ...wrong, username: "carol@example.test", protocol: "imap" });
}

async function signInWithHostileBrowser(): Promise<void> {
  await using context = await browser.newContext({
    locale: "en-US",
    userAgent: hostile("browser").replaceAll("\n", ""),
  });
  const home = await context.newPage();
  await home.goto(`${desk.issuer}/mfa/register/home`);
  await passFactors(home, "victor");
  await home.getByRole("heading", { name: "Your account" }).waitFor();
}

/** What markup of a name has become an element, and whether a script of one has run: nothing. */
async function harmOn(): Promise<object> {
  return page.evaluate(() => ({
    harmed: Reflect.get(window, "harmed"),
    unknownScripts: [...document.scripts].filter(({ src }) => new URL(src).pathname.split(".")[0] === "").length,
    images: document.images.length,
    handlers: [...document.querySelectorAll("*")].filter((one) =>
      [...one.attributes].some(({ name }) => name.startsWith("on")),
    ).length,
    // Where from links to those who publish free files with places.
    links: [...document.links].filter(
      ({ origin }) => ![location.origin, "https://dev.maxmind.com", "https://db-ip.com"].includes(origin),
    ).length,
  }));
}

const harmless = { harmed: undefined, unknownScripts: 0, images: 0, handlers: 0, links: 0 };

async function find(id: "consoleSearch" | "consoleAccount", text: string): Promise<void> {
  await page.goto(`${desk.url}${pathTo(id)}`);
  const isSearch = id === "consoleSearch";
  await page.getByLabel(isSearch ? searchLabel : "Account or alias", { exact: true }).fill(text);
  await page.getByRole("button", { name: isSearch ? "Search" : "Show", exact: true }).click();
  await page.locator(".verdict").waitFor();
}

test("hostile names, protocols and rules are text in the search", async () => {
  for (const [query, shown] of [
    ["carol@example.test", "rule'"],
    ["198.51.100.66", "name'"],
    [hostile("typed"), "typed'"],
  ] as const) {
    await poll(`${shown} in the search for ${query}`, async () => {
      await find("consoleSearch", query);
      return (await page.locator("main").innerText()).includes(shown);
    });
    expect([page.url(), await harmOn()]).toEqual([page.url(), harmless]);
  }
});

test("hostile labels, attributes and browsers are text in the page of an account", async () => {
  for (const [query, shown] of [
    ["carol@example.test", ["label'", "passkey'", "display'", "mail'"]],
    [victor, ["browser'"]],
    [hostile("typed"), ["typed'"]],
  ] as const) {
    await find("consoleAccount", query);
    const text = (await page.locator("main").textContent()) ?? "";
    for (const word of shown) expect(text).toContain(word);
    expect([page.url(), await harmOn()]).toEqual([page.url(), harmless]);
  }
});

test("hostile reasons, filters and names of rules are text in the audit page, the bans and every other page", async () => {
  await find("consoleAccount", victor);
  const act = actionIn(page, "Unlock second factors").first();
  await openAction(act);
  await act.getByLabel("Reason").fill(hostile("reason"));
  await act.getByRole("button").click();
  await page.getByText("Done: Unlock second factors.").waitFor();
  await poll("the reason in the audit page", async () => {
    await page.goto(`${desk.url}${pathTo("consoleAudit")}`);
    return ((await page.locator("main").textContent()) ?? "").includes("reason'");
  });
  await page.locator("summary", { hasText: "Filter and export" }).click();
  for (const label of ["Actor", "Target or account", "From (UTC)"]) await page.getByLabel(label).fill(hostile(label));
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await page.getByText("The filter is invalid.").waitFor();
  expect([page.url(), await harmOn()]).toEqual([page.url(), harmless]);
  await page.goto(
    `${desk.url}${pathTo("consoleBans")}?${new URLSearchParams({ rule: ruleName, order: hostile("o") }).toString()}`,
  );
  await page.locator("main .rows").waitFor();
  expect([page.url(), await harmOn()]).toEqual([page.url(), harmless]);
  for (const { title, operation: id } of Object.values(consolePages)) {
    await page.goto(`${desk.url}${operation(id).path}`);
    await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
    expect([page.url(), await harmOn()]).toEqual([page.url(), harmless]);
  }
});

test("a sign-in that this browser did not begin is rejected", async () => {
  await using context = await browser.newContext({ locale: "en-US" });
  const stranger = await context.newPage();
  const response = await stranger.goto(`${desk.url}/console/callback?code=stolen&state=x&iss=${desk.issuer}`);
  expect(response?.status()).toBe(400);
  expect(await stranger.getByRole("heading").innerText()).toBe("Not signed in");
});
