import { readFile, writeFile } from "node:fs/promises";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import type { Stack } from "../../support/stack.ts";
import { login, passwordOf, startGuessedStack, statusOf, userName } from "./guessed-stack.ts";

let stack: Stack;

beforeAll(async () => {
  stack = await startGuessedStack({
    engines: 1,
    delay: { failures: 3 },
    services: ["admin"],
    settings: { auth: { controls: { brute_force: { mode: "observe" } } } },
  });
});

afterAll(() => stack[Symbol.asyncDispose]());

async function total(series: string): Promise<number> {
  const pages = await Promise.all(stack.engines.map((engine) => engine.metrics()));
  const line = new RegExp(`^${series.replaceAll(/[{}]/gu, String.raw`\$&`)} (\\d+)$`, "mu");
  return pages.reduce((sum, page) => sum + Number(line.exec(page)?.[1] ?? 0), 0);
}

const outputs = () => stack.engines.map((engine) => engine.output()).join("");

const clientIp = "192.0.2.17";

test("with observe, a network over the limit is recorded and reported, and its correct password signs in without a delay", async () => {
  for (let count = 1; count <= 12; count += 1)
    expect(await statusOf(stack, { clientIp, password: `guess-${count}` })).toBe(403);
  const answer = await login(stack, { clientIp, password: passwordOf(0) });
  expect(answer.status).toBe(200);
  expect(await total('service_brute_force_bans_total{rule="ipv4"}')).toBe(1);
  expect(await total('service_brute_force_blocked_total{rule="ipv4"}')).toBe(0);
  // Two guesses after the ban, and the correct password.
  expect(await total('service_brute_force_observed_total{rule="ipv4"}')).toBe(3);
  expect(await total('service_brute_force_slowed_total{source="unknown_network"}')).toBe(0);
  expect(await total('service_brute_force_observed_total{rule="account_delay"}')).toBeGreaterThan(0);
  await poll("the engine to log it", async () => outputs().includes("would have refused this sign-in"));
});

const explained = async () =>
  String(Object((await askAdmin(stack, "GET", `/api/v1/console/explain?query=${clientIp}`)).body).verdict);

test("with observe, the explanation of the network names no ban", async () => {
  expect(await explained()).not.toMatch(/^Blocked/u);
});

test("once the mode is enforce, the recorded ban refuses its network, and no other", async () => {
  const text = await readFile(stack.configFile, "utf8");
  await writeFile(stack.configFile, text.replace('"observe"', '"enforce"'));
  stack.gateway.signal("SIGHUP");
  await poll("the engine to enforce", async () => outputs().includes('"configuration reloaded"'));
  expect(await statusOf(stack, { clientIp, password: passwordOf(0) })).toBe(403);
  expect(await statusOf(stack, { clientIp: "198.51.100.1", password: passwordOf(1), user: userName(1) })).toBe(200);
  await poll("the explanation of the ban", async () => (await explained()).startsWith("Blocked"));
});
