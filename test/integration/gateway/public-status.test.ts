import { freePort, poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Stack, startStack } from "../../support/stack.ts";

let stack: Stack;
let front: string;

beforeAll(async () => {
  const address = `127.0.0.1:${await freePort()}`;
  front = `http://${address}`;
  stack = await startStack({
    shape: "five",
    redis: true,
    services: ["idp"],
    settings: {
      runtime: { servers: { http: { frontend_address: [address], public_status: true } } },
      storage: { redis: { write_timeout: "300ms" } },
      identity: {
        frontend: { enabled: true, branding: { name: "Example Mail" } },
        oidc: { enabled: true, issuer: "http://localhost:8080" },
      },
    },
  });
});

afterAll(() => stack[Symbol.asyncDispose]());

async function status(): Promise<{ readonly status: string; readonly since?: string }> {
  return JSON.parse(await (await fetch(`${front}/status.json`)).text());
}

/** A failure is published after the second observation of it. */
const until = (word: string): Promise<boolean> =>
  poll(`the status ${word}`, async () => (await status()).status === word);

test("while sign-in works, the page says so in the language of the browser or of the path", async () => {
  await until("works");
  expect(await status()).toEqual({ status: "works" });
  const page = await fetch(`${front}/status`);
  expect(page.status).toBe(200);
  expect(Object.fromEntries(page.headers)).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "cache-control": "public, max-age=5",
    vary: "Accept-Language",
    "content-security-policy": expect.stringMatching(/^default-src 'none'; style-src 'sha256-[^']+'; img-src data:;/u),
  });
  expect(await page.text()).toContain("<h1>Sign-in is working</h1>");
  const german = await fetch(`${front}/status`, { headers: { "accept-language": "de-CH" } });
  expect(await german.text()).toContain("<h1>Die Anmeldung funktioniert</h1>");
  expect(await (await fetch(`${front}/status/fr`)).text()).toContain("<h1>La connexion aux comptes fonctionne</h1>");
  for (const tag of ["FR", "fr-CA"])
    expect(await (await fetch(`${front}/status/${tag}`)).text()).toContain(
      "<h1>La connexion aux comptes fonctionne</h1>",
    );
  const fallback = await fetch(`${front}/status/xx`, { headers: { "accept-language": "de" } });
  expect(await fallback.text()).toContain("<h1>Die Anmeldung funktioniert</h1>");
  expect((await fetch(`${front}/status/x_x`)).status).toBe(404);
});

test("it belongs to the front channel, and takes only GET and HEAD", async () => {
  for (const path of ["/status", "/status.json", "/status/de"]) {
    expect((await fetch(`${stack.url}${path}`)).status).toBe(404);
    expect((await fetch(`${front}${path}`, { method: "HEAD" })).status).toBe(200);
    expect((await fetch(`${front}${path}`, { method: "POST" })).status).toBe(405);
  }
});

/** Every word of an answer that customers may see. */
async function answers(): Promise<string> {
  const pages = [await fetch(`${front}/status`), await fetch(`${front}/status.json`)];
  const texts = pages.map(async (each) => `${JSON.stringify([...each.headers])}${await each.text()}`);
  return (await Promise.all(texts)).join("\n");
}

const losses: readonly { readonly of: string; readonly lose: () => void; readonly restore: () => void }[] = [
  {
    of: "the engine",
    lose: () => stack.engines[0]?.signal("SIGSTOP"),
    restore: () => stack.engines[0]?.signal("SIGCONT"),
  },
  { of: "Redis", lose: () => stack.redis?.signal("SIGSTOP"), restore: () => stack.redis?.signal("SIGCONT") },
  {
    of: "the identity provider",
    lose: () => stack.services.get("idp")?.signal("SIGSTOP"),
    restore: () => stack.services.get("idp")?.signal("SIGCONT"),
  },
];

test.each(losses)("without $of, sign-in is degraded since a time, and nothing says why", async ({ lose, restore }) => {
  await until("works");
  const lostMs = Date.now();
  lose();
  try {
    await until("degraded");
    const { since = "" } = await status();
    expect(since).toMatch(/:00\.000Z$/u);
    expect(Date.parse(since)).toBeGreaterThan(lostMs - 60_000);
    expect(Date.parse(since)).toBeLessThan(Date.now());
    const all = await answers();
    expect(all).toContain("<h1>Some sign-ins are failing</h1>");
    expect(all).toContain(`<time datetime="${since}">`);
    expect(all).not.toMatch(/\b(?:engines?|redis|idp|nats|gateway|backend|sql|127\.0\.0\.1)\b/iu);
  } finally {
    restore();
  }
  await until("works");
});

test("without NATS too", async () => {
  await until("works");
  await stack.nats.stop();
  await until("degraded");
  expect(await (await fetch(`${front}/status`)).text()).toContain("<h1>Some sign-ins are failing</h1>");
  await stack.startNats();
  await until("works");
});

test("without the key, there is no such path", async () => {
  await using other = await startStack({ shape: "five" });
  for (const path of ["/status", "/status.json", "/status/de"])
    expect((await fetch(`${other.url}${path}`, { method: "POST" })).status).toBe(404);
});
