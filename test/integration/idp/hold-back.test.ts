import { poll } from "@postern/shared/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askJson } from "../../support/ask-json.ts";
import { type Browser, createBrowser } from "../../support/browser.ts";
import { issuer, passwordStep, publicClient } from "./authorization.ts";
import { type IdpStack, startIdpStack } from "./idp-stack.ts";

const failures = 3;
const home = "/mfa/register/home";
const bob = "bob@example.test";
const alice = "alice@example.test";

let idp: IdpStack;

/** A delay that is longer than a decision may take. */
beforeAll(async () => {
  idp = await startIdpStack({
    runtime: { timeouts: { decision: "900ms" } },
    identity: {
      notices: { enabled: true },
      oidc: {
        enabled: true,
        issuer,
        clients: [publicClient("delayed", { delayed_response: true, supported_mfa: ["totp"] })],
      },
    },
    auth: {
      controls: {
        enabled: ["brute_force"],
        brute_force: {
          buckets: [{ name: "ipv4", period: "10m", ban_time: "1h", cidr: 24, failed_requests: 20, ipv4: true }],
          account_delay: { failures, max_delay: "1200ms", known_networks: ["203.0.0.0/16"] },
        },
      },
    },
  });
});

afterAll(() => idp[Symbol.asyncDispose]());

/** From networks whose answers are not delayed, so that guessing takes no time. */
async function guess(username: string, count = 2 * failures): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await askJson(idp.stack.url, {
      username,
      password: `guess-${index}`,
      protocol: "imap",
      client_ip: `203.0.${index}.1`,
    });
  }
}

const timesHeld = (): number =>
  `${idp.first.output()}${idp.second.output()}`.split('"msg":"sign-in delayed').length - 1;

async function signIn(browser: Browser, username: string, password: string) {
  const started = performance.now();
  const page = await browser.submit(await browser.open(home), { username, password });
  return { page, tookMs: performance.now() - started };
}

/** How long the sign-ins so far were delayed. */
const holds = (): readonly number[] =>
  `${idp.first.output()}\n${idp.second.output()}`
    .split("\n")
    .filter((line) => line.includes('"msg":"sign-in delayed'))
    .map((line) => Number(JSON.parse(line).held_ms));

const total = (times: readonly number[]): number => times.reduce((sum, ms) => sum + ms, 0);

test("with delayed_response a wrong password is held as long as a right one, and a right one makes no network known", async () => {
  await guess(bob, failures + 1);
  const heldFrom = async (clientIp: string, password: string): Promise<number> => {
    const before = holds();
    const page = await passwordStep(createBrowser(idp.replicas, clientIp), "delayed", { username: bob, password });
    expect(page.text).toContain('name="code"');
    await poll("the hold to be in the log", () => holds().length > before.length);
    return total(holds()) - total(before);
  };
  const right = await heldFrom("198.51.102.1", "bob-demo-password");
  const wrong = await heldFrom("198.51.103.1", "wrong");
  expect([right, wrong]).toEqual([800, 800]);
  // The network of the correct password is as unknown as before; by now one more failure was counted.
  expect(await heldFrom("198.51.102.2", "another")).toBe(1200);
});

test("an unknown browser waits, correct password or wrong, longer than a decision may take; and the right one signs in", async () => {
  await guess(bob);
  const before = timesHeld();
  const wrong = await signIn(createBrowser(idp.replicas, "198.51.100.1"), bob, "wrong");
  expect([wrong.page.status, wrong.page.text]).toEqual([
    200,
    expect.stringContaining("Incorrect username or password"),
  ]);
  const right = await signIn(createBrowser(idp.replicas, "198.51.101.1"), bob, "bob-demo-password");
  expect([right.page.status, right.page.location]).toEqual([302, expect.stringMatching(/^\/login\/mfa/)]);
  for (const { tookMs } of [wrong, right]) expect(tookMs).toBeGreaterThanOrEqual(1199);
  await poll("both to be in the log", () => timesHeld() >= before + 2);
});

test("a browser that signed in to the account before does not wait, wherever it is", async () => {
  const first = createBrowser(idp.replicas, "198.51.100.1");
  expect((await signIn(first, alice, "alice-demo-password")).page.status).toBe(302);
  await guess(alice);
  const before = timesHeld();
  const elsewhere = createBrowser(idp.replicas, "192.0.2.99");
  const device = [...first.cookies].find(([name]) => name.includes("device"));
  if (device === undefined) throw new Error("no device cookie");
  elsewhere.cookies.set(...device);
  expect((await signIn(elsewhere, alice, "wrong")).page.status).toBe(200);
  expect((await signIn(elsewhere, alice, "alice-demo-password")).page.status).toBe(302);
  expect(timesHeld()).toBe(before);
});
