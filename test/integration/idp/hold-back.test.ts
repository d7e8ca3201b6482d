import { poll } from "@postern/testing";
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

/** The account delay is longer than the deadline of a decision. */
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

/** Guesses from known networks, where responses are not delayed. */
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

/** Delays in milliseconds of the sign-ins so far. */
const delays = (): readonly number[] =>
  idp.processes
    .flatMap((process) => process.output().split("\n"))
    .filter((line) => line.includes('"msg":"sign-in delayed'))
    .map((line) => Number(JSON.parse(line).held_ms));

async function signIn(browser: Browser, username: string, password: string) {
  const started = performance.now();
  const page = await browser.submit(await browser.open(home), { username, password });
  return { page, tookMs: performance.now() - started };
}

const total = (times: readonly number[]): number => times.reduce((sum, ms) => sum + ms, 0);

test("with delayed_response, a correct and a wrong password are delayed equally, and a correct one does not make the network known", async () => {
  await guess(bob, failures + 1);
  const delayFrom = async (clientIp: string, password: string): Promise<number> => {
    const before = delays();
    const page = await passwordStep(createBrowser(idp.replicas, clientIp), "delayed", { username: bob, password });
    expect(page.text).toContain('name="code"');
    await poll("the delay in the log", () => delays().length > before.length);
    return total(delays()) - total(before);
  };
  const right = await delayFrom("198.51.102.1", "bob-demo-password");
  const wrong = await delayFrom("198.51.103.1", "wrong");
  expect([right, wrong]).toEqual([800, 800]);
  // The network of the correct password is still unknown, and one more failure was counted since.
  expect(await delayFrom("198.51.102.2", "another")).toBe(1200);
});

test("an unknown browser is delayed beyond the deadline of a decision, and then the correct password signs in", async () => {
  await guess(bob);
  const before = delays().length;
  const wrong = await signIn(createBrowser(idp.replicas, "198.51.100.1"), bob, "wrong");
  expect([wrong.page.status, wrong.page.text]).toEqual([
    200,
    expect.stringContaining("Incorrect username or password"),
  ]);
  const right = await signIn(createBrowser(idp.replicas, "198.51.101.1"), bob, "bob-demo-password");
  expect([right.page.status, right.page.location]).toEqual([302, expect.stringMatching(/^\/login\/mfa/)]);
  for (const { tookMs } of [wrong, right]) expect(tookMs).toBeGreaterThanOrEqual(1199);
  await poll("both in the log", () => delays().length >= before + 2);
});

test("a browser that has signed in to the account before is not delayed, from any network", async () => {
  const first = createBrowser(idp.replicas, "198.51.100.1");
  expect((await signIn(first, alice, "alice-demo-password")).page.status).toBe(302);
  await guess(alice);
  const before = delays().length;
  const elsewhere = createBrowser(idp.replicas, "192.0.2.99");
  const device = [...first.cookies].find(([name]) => name.includes("device"));
  if (device === undefined) throw new Error("no device cookie");
  elsewhere.cookies.set(...device);
  expect((await signIn(elsewhere, alice, "wrong")).page.status).toBe(200);
  expect((await signIn(elsewhere, alice, "alice-demo-password")).page.status).toBe(302);
  expect(delays().length).toBe(before);
});
