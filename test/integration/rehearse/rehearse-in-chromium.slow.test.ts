/* oxlint-disable unicorn/no-thenable -- the configuration has a key of this name; its value is not a function */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../../../cli/src/run.ts";
import { askJson } from "../../support/ask-json.ts";
import { axeProblems } from "../../support/axe.ts";
import { sharedChromium } from "../../support/chromium.ts";
import { layoutProblems } from "../../support/page-rules.ts";
import { type ConsoleStack, openConsole, startConsoleStack } from "../admin/console-stack.ts";

/** The rule that is to be tried bans at three wrong passwords; the one in use does not yet. */
const bucket = (limit: number) => ({
  name: "imap",
  period: "10m",
  ban_time: "1h",
  failed_requests: limit,
  ipv4: true,
  cidr: 32,
});
const protection = (limit: number) => ({
  auth: {
    controls: {
      enabled: ["brute_force"],
      brute_force: { buckets: [bucket(limit)], rwp_allowed_unique_hashes: 0, tolerate_ttl: 0 },
    },
  },
});

let desk: ConsoleStack;

beforeAll(async () => {
  desk = await startConsoleStack(protection(50), { engines: 2 });
});

afterAll(() => desk[Symbol.asyncDispose]());

async function signIn(name: string, password: string, address: string, protocol = "imap"): Promise<string> {
  const body = { username: `${name}@example.test`, password, protocol, client_ip: address };
  const { headers } = await askJson(desk.stack.url, body);
  return headers.get("auth-status") ?? "";
}

/** As many wrong passwords, then the right one. */
async function mistype(name: string, times: number, address: string): Promise<void> {
  for (let index = 0; index < times; index += 1) await signIn(name, `wrong ${index}`, address);
  expect(await signIn(name, "alice-demo-password", address)).toBe("OK");
}

function rehearse(...args: readonly string[]) {
  const terminal = { input: new PassThrough(), output: new PassThrough() };
  return run(["rehearse", ...args], { environment: {}, terminal, progress: () => undefined });
}

test("a rule that would lock out three accounts is found with exactly these, by the command line and on the console's page", async () => {
  const careful = ["hugo", "sue", "victor", "paul"];
  const victims = ["helen", "sam", "ada"];
  await Promise.all([
    ...careful.map((name, index) => mistype(name, 2, `198.51.100.${index + 1}`)),
    ...victims.map((name, index) => mistype(name, 3, `203.0.113.${index + 1}`)),
  ]);
  const signIns = 4 * 3 + 3 * 4;
  const decided = (): readonly string[] =>
    desk.stack.gateway
      .output()
      .split("\n")
      .filter((line) => line.endsWith('"msg":"decided"}'));
  await poll("the lines of the gateway", () => decided().length === signIns);
  const [log, changed] = ["gateway.log", "changed.yaml"].map((name) => join(desk.stack.folder, name));
  if (log === undefined || changed === undefined) throw new Error("no names");
  writeFileSync(log, `${decided().join("\n")}\n`);
  const tree = JSON.parse(readFileSync(desk.stack.configFile, "utf8"));
  tree.auth.controls.brute_force.buckets = [bucket(3)];
  writeFileSync(changed, JSON.stringify(tree));
  const files = ["--config", changed, "--against", desk.stack.configFile, "--from", log];
  const { exitCode, output, errors } = await rehearse(...files, "--json", "--fail-over", "10%");
  const report = JSON.parse(output.join("\n"));
  const names = victims.map((name) => `${name}@example.test`).toSorted();
  expect(report.groups.map((group: { account_names: string[] }) => group.account_names.toSorted())).toEqual([names]);
  expect(report.now_refused).toEqual({ sign_ins: 3, accounts: 3, networks: 1 });
  expect([exitCode, errors]).toEqual([1, ["12.5% is more than --fail-over 10%"]]);

  const browser = await sharedChromium();
  await using context = await browser.newContext({ locale: "en-US", bypassCSP: true });
  const page = await openConsole(context, desk, "ada");
  await page.getByRole("link", { name: "Rehearsal" }).click();
  await page.getByText("Show what the command printed").click();
  await page.getByLabel("Output of the command").fill("{}");
  await page.getByRole("button", { name: "Show" }).click();
  await page.getByText("This is not the output of postern rehearse").waitFor();
  // It is open after an answer that is no report.
  // As large as the page says, with as many characters that a form writes as three as a long report has.
  const printed = { ...report, padding: "" };
  const padding = "{abc}".repeat((524_288 - JSON.stringify(printed).length) / 5);
  await page.getByLabel("Output of the command").fill(JSON.stringify({ ...printed, padding }));
  await page.getByRole("button", { name: "Show" }).click();
  await page.getByRole("heading", { name: "Result" }).waitFor();
  expect((await page.locator("ul.links li").allInnerTexts()).toSorted()).toEqual(names);
  expect(await page.getByRole("heading", { level: 3 }).allInnerTexts()).toEqual(["admitted → banned (rule imap)"]);
  // It names accounts, which no log of a proxy may contain.
  expect(new URL(page.url()).search).toBe("");
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await layoutProblems(page)).toEqual([]);
  expect(await axeProblems(page)).toEqual([]);
});

test("an operator starts a rehearsal in the console, and sees exactly the three accounts that a policy would lock out", async () => {
  const victims = ["sam", "sue", "paul"];
  for (const [index, name] of victims.entries())
    expect(await signIn(name, "alice-demo-password", `198.51.100.${100 + index}`, "pop3")).toBe("OK");
  const tree = JSON.parse(readFileSync(desk.stack.configFile, "utf8"));
  const condition = { attribute: "request.protocol", eq: "pop3" };
  tree.auth.policy = {
    mode: "enforce",
    policies: [{ name: "no-pop3", if: condition, then: { decision: "deny" } }],
  };
  const browser = await sharedChromium();
  await using context = await browser.newContext({ locale: "en-US", bypassCSP: true });
  const page = await openConsole(context, desk, "ada");
  await page.getByRole("link", { name: "Rehearsal" }).click();
  expect(await axeProblems(page)).toEqual([]);
  const rehearseHere = async (text: string): Promise<void> => {
    const again = page.getByText("Rehearse another change");
    if (await again.isVisible()) await again.click();
    await page.getByLabel("Changed configuration").fill(text);
    await page.getByLabel("Sign-ins of the last").selectOption("24h");
    await page.getByRole("button", { name: "Rehearse" }).click();
  };
  await rehearseHere("auth: { nonsense: 1 }");
  await page.getByText("The configuration has problems").waitFor();
  expect(await page.locator("main li", { hasText: "auth.nonsense" }).count()).toBe(1);
  // The engines record what they decided some seconds later.
  await poll("exactly these", async () => {
    await rehearseHere(JSON.stringify(tree));
    await page.getByRole("heading", { name: "Result" }).waitFor();
    const names = await page.locator("ul.links li").allInnerTexts();
    return (
      names.toSorted().join() ===
      victims
        .map((name) => `${name}@example.test`)
        .toSorted()
        .join()
    );
  });
  expect(await page.getByRole("heading", { level: 3 }).allInnerTexts()).toEqual([
    "admitted → refused (policy no-pop3)",
  ]);
  expect(await page.getByText("Started by ada@example.test").count()).toBe(1);
  expect(new URL(page.url()).search).toBe("");
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await layoutProblems(page)).toEqual([]);
  expect(await axeProblems(page)).toEqual([]);
});
