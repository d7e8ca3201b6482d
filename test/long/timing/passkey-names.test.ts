import { afterAll, beforeAll, expect, test } from "vitest";
import { type IdpStack, startIdpStack } from "../../integration/idp/idp-stack.ts";
import { createBrowser, hiddenFields } from "../../support/browser.ts";
import { createSoftAuthenticator } from "../../support/soft-authenticator.ts";
import { areaUnderCurve, distinguishability, standardError, type Times } from "../../support/time-difference.ts";

/** With this many pairs the standard error of the area is 0.018, so without a difference 0.55 is almost three of them above 0.5. */
const pairs = 500;
const issuer = "http://localhost:8080";
const home = "/mfa/register/home";

let idp: IdpStack;
beforeAll(async () => {
  idp = await startIdpStack({ identity: { oidc: { enabled: true, issuer } } });
});
afterAll(() => idp[Symbol.asyncDispose]());

let probes = 0;

/** The time of `POST /login/webauthn/finish` in milliseconds, for a passkey response with this user handle. */
async function probe(handle: string): Promise<number> {
  probes += 1;
  // Few attempts per address, because they are rate-limited.
  const browser = createBrowser(idp.replicas, `198.51.${100 + Math.floor(probes / 250)}.${(probes % 250) + 1}`);
  const login = await browser.open(home);
  const { text } = await browser.get(login.url.replace("/login?", "/login/webauthn/begin?"));
  const key = createSoftAuthenticator({ origin: issuer, rpId: "localhost" });
  key.create({ challenge: "unused", user: { id: Buffer.from(handle).toString("base64url") } });
  const body = JSON.stringify({ credential: key.get(Object(JSON.parse(text)).publicKey) });
  const headers = { "content-type": "application/json", "x-csrf-token": hiddenFields(login)["csrf_token"] ?? "" };
  const started = performance.now();
  const page = await browser.send("/login/webauthn/finish", { method: "POST", headers, body });
  const took = performance.now() - started;
  expect([page.status, Object(JSON.parse(page.text)).error]).toEqual([400, "denied"]);
  return took;
}

/** Most of the time of a rejection is waiting, so several are measured beside each other. */
const lanes = 5;

async function measured(count: number, first: () => string, second: () => string): Promise<Times> {
  const times = { first: [] as number[], second: [] as number[] };
  const lane = async (): Promise<void> => {
    for (let index = 0; index < count / lanes; index += 1) {
      if (index % 2 === 0) times.first.push(await probe(first()));
      times.second.push(await probe(second()));
      if (index % 2 === 1) times.first.push(await probe(first()));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return times;
}

const known = (): string => "alice@example.test";
const unknown = (): string => `unknown-${probes}@example.test`;

test("a passkey of an unknown user takes as long as one of a known user", async () => {
  await measured(20, known, unknown);
  const same = await measured(100, known, known);
  // The measurement must detect a planted difference of 5 ms.
  expect(areaUnderCurve({ ...same, second: same.second.map((ms) => ms + 5) })).toBeGreaterThan(0.8);
  const times = await measured(pairs, known, unknown);
  expect(3 * standardError(times)).toBeLessThan(0.056);
  expect(distinguishability(times)).toBeLessThanOrEqual(0.55);
});
