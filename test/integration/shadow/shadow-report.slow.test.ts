import { readFile } from "node:fs/promises";
import { ShadowReport } from "@postern/shared/contracts";
import { poll, type Slapd } from "@postern/testing";
import { Attribute, Change, Client } from "ldapts";
import { Check } from "typebox/value";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askJson } from "../../support/ask-json.ts";
import { axeProblems } from "../../support/axe.ts";
import { sharedChromium } from "../../support/chromium.ts";
import { layoutProblems } from "../../support/page-rules.ts";
import { runOperator } from "../../support/run-operator.ts";
import { type ConsoleStack, openConsole, startConsoleStack } from "../admin/console-stack.ts";
import { mailOf, type PersonOverrides, signInOf, spawnPeople, twoPools } from "./two-directories.ts";

const owned = new AsyncDisposableStack();
let desk: ConsoleStack;
let newSlapd: Slapd;

const everyone = Array.from({ length: 30 }, (_, number) => number);
const attributeNames = ["displayName", "title", "roomNumber", "telephoneNumber", "l"] as const;

/** The new directory lacks 0 to 9; 10 to 14 differ in an attribute each. */
function inNewDirectory(number: number): PersonOverrides {
  const name = attributeNames[number - 10];
  if (name !== undefined) return { lines: [`${name}: 42`] };
  if (number === 15) return { password: "another-password" };
  if (number === 16) return { lines: ["employeeType: disabled"] };
  if (number === 17) return { mail: "seventeen@other.test" };
  return {};
}

/** 18 has a second factor in the old directory only; 20 has an attribute that is not compared. */
function inOldDirectory(number: number): PersonOverrides {
  const name = attributeNames[number - 10];
  if (name !== undefined) return { lines: [`${name}: 41`] };
  if (number === 18) return { lines: ["carLicense: JBSWY3DPEHPK3PXP"] };
  return number === 20 ? { lines: ["description: here only"] } : {};
}

beforeAll(async () => {
  const oldSlapd = owned.use(await spawnPeople(everyone, inOldDirectory));
  newSlapd = owned.use(await spawnPeople(everyone.slice(10), inNewDirectory));
  const shadow = {
    order: ["ldap(new)"],
    protocols: ["imap"],
    passwords: "accepted",
    second_factors: true,
    ignore_attributes: ["Description"],
    timeout: "60s",
  };
  desk = owned.use(
    await startConsoleStack(
      { auth: { shadow } },
      { engines: 2, order: ["sql", "ldap(old)"], backends: { ldap: twoPools(oldSlapd.port, newSlapd.port) } },
    ),
  );
});

afterAll(() => owned.disposeAsync());

const command = (...args: readonly string[]) => runOperator(desk.stack.url, ["shadow", ...args]);

async function reported(...args: readonly string[]): Promise<ShadowReport> {
  const { code, out, err } = await command("report", "--json", ...args);
  expect([code, err]).toEqual([0, ""]);
  const report: unknown = JSON.parse(out);
  if (!Check(ShadowReport, report)) throw new Error(`not a report: ${out}`);
  return report;
}

const comparedSoon = (count: number) =>
  poll("the comparisons of both engines", async () => {
    const report = await reported();
    return report.compared >= count && report;
  });

const accountsOf = ({ differences }: ShadowReport, kind: string) =>
  differences
    .filter((difference) => difference.kind === kind)
    .map(({ account }) => account)
    .toSorted();

test("the report has exactly the accounts and attributes that differ, from both engines", async () => {
  const answers = await Promise.all(everyone.map((number) => askJson(desk.stack.url, signInOf(number))));
  expect(answers.map(({ status }) => status)).toEqual(everyone.map(() => 200));
  const report = await comparedSoon(30);
  expect(report).toMatchObject({ is_on: true, order: ["ldap(new)"], compared: 30, different: 19, accounts: 19 });
  expect(report.omitted).toEqual({ undecided_old: 0, undecided_new: 0, dropped: 0 });
  expect(accountsOf(report, "missing")).toEqual(everyone.slice(0, 10).map(mailOf).toSorted());
  expect(accountsOf(report, "added")).toEqual([]);
  expect(accountsOf(report, "password")).toEqual([mailOf(15)]);
  expect(accountsOf(report, "disabled")).toEqual([mailOf(16)]);
  expect(report.differences.find(({ kind }) => kind === "account")).toMatchObject({
    account: mailOf(17),
    old: mailOf(17),
    new: "seventeen@other.test",
  });
  expect(report.differences.find(({ kind }) => kind === "second_factors")).toMatchObject({
    account: mailOf(18),
    old: "totp",
    new: "none",
  });
  const attributes = report.differences.flatMap(({ account, attributes: names = [] }) =>
    names.map(({ name }) => [account, name]),
  );
  expect(new Set(attributes.map(String))).toEqual(
    new Set(attributeNames.map((name, index) => `${mailOf(10 + index)},${name}`)),
  );
  expect(attributes.length).toBe(attributeNames.length);
  expect(report.protocols).toEqual([{ name: "imap", compared: 30, different: 19 }]);
  expect(report.domains.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
    { name: "example.test", compared: 15, different: 10 },
    { name: "other.test", compared: 15, different: 9 },
  ]);
  // Neither values of attributes nor passwords are stored.
  expect(JSON.stringify(report)).not.toMatch(/"4[12]"|password-|-password/u);
});

test("the command shows kinds and accounts as text, and filters by kind", async () => {
  const { out } = await command("report");
  expect(out).toContain("compared: 30 requests; different: 19 (63.3%); accounts that differ: 19");
  expect(out).toMatch(/missing +10 +10/u);
  const missing = await reported("--kind", "missing", "--limit", "4");
  expect(missing.differences.map(({ kind }) => kind)).toEqual(["missing", "missing", "missing", "missing"]);
  const wrong = await command("report", "--kind", "everything");
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining("kind: must be one of missing, added")]);
});

test("an account leaves the report once a comparison finds it repaired", async () => {
  const client = new Client({ url: newSlapd.uri });
  await client.bind(newSlapd.rootDn, newSlapd.rootPassword);
  const modification = new Attribute({ type: "displayName", values: ["41"] });
  await client.modify("uid=p10,ou=people,dc=example,dc=test", new Change({ operation: "replace", modification }));
  await client.unbind();
  // Attributes of cached answers are not compared.
  expect((await askJson(desk.stack.url, signInOf(10), { query: "?in-memory=0&cache=0" })).status).toBe(200);
  const report = await comparedSoon(31);
  expect([report.different, report.accounts]).toEqual([19, 18]);
  expect(accountsOf(report, "attributes")).toEqual([11, 12, 13, 14].map(mailOf).toSorted());
});

test("the console shows the same, fits the screen, and only the role security deletes it", async () => {
  const browser = await sharedChromium();
  await using context = await browser.newContext({ locale: "en-US", bypassCSP: true });
  const page = await openConsole(context, desk, "helen");
  await page.getByRole("link", { name: "Shadow" }).click();
  await page.getByRole("heading", { name: "Shadow", level: 1 }).waitFor();
  const text = await page.locator("main").innerText();
  expect(text).toContain("ldap(new) gets 100 % of the requests, with passwords that the old backends accepted.");
  expect(text).toMatch(/Compared\s+31/u);
  expect(text).toMatch(/Accounts that differ\s+18/u);
  for (const number of [0, 9, 11, 15, 16, 17, 18]) expect(text).toContain(mailOf(number));
  expect(text).not.toContain(mailOf(19));
  expect(text).toContain("It needs the role security.");
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    expect([width, await layoutProblems(page)]).toEqual([width, []]);
  }
  expect(await axeProblems(page)).toEqual([]);
  await page.getByRole("link", { name: "Missing in the new backends" }).click();
  await page.getByRole("heading", { name: "Accounts that differ: Missing in the new backends" }).waitFor();
  expect(await page.locator(".things > li").count()).toBe(10);
});

test("a reset begins a new report, and is audited", async () => {
  const browser = await sharedChromium();
  await using context = await browser.newContext({ locale: "en-US", javaScriptEnabled: false });
  const page = await openConsole(context, desk, "sam");
  await page.goto(`${desk.url}/console/shadow`);
  await page.getByRole("button", { name: "Delete the report" }).click();
  await page.getByText("Nothing has been compared yet.").waitFor();
  expect(await reported()).toMatchObject({ compared: 0, accounts: 0, differences: [] });
  await askJson(desk.stack.url, signInOf(0));
  expect(accountsOf(await comparedSoon(1), "missing")).toEqual([mailOf(0)]);
  const filtered = await command("reset", "--kind", "missing");
  expect([filtered.code === 0, filtered.err]).toEqual([false, expect.stringContaining("deletes the whole report")]);
  expect((await command("reset")).out).toContain("the report is deleted");
  expect(await reported()).toMatchObject({ compared: 0 });
  const resets = await poll("two audit records", async () => {
    const lines = (await readFile(desk.auditFile, "utf8")).split("\n");
    const found = lines.filter((line) => line.includes("shadow.reset")).map((line): unknown => JSON.parse(line));
    return found.length === 2 && found;
  });
  expect(resets).toMatchObject([
    { outcome: "ok", actor: "sam@example.test" },
    { outcome: "ok", actor: "backchannel" },
  ]);
});
