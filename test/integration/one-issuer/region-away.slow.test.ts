import { homeOf } from "@postern/shared/domain/region-calls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askJson } from "../../support/ask-json.ts";
import type { Browser, Page } from "../../support/browser.ts";
import { relyingParty } from "../../support/relying-party.ts";
import { totpCode } from "../../support/totp-code.ts";
import {
  browserOver,
  codeOf,
  follow,
  post,
  type Region,
  type RegionPair,
  regionCookie,
  regions,
  startRegionPair,
} from "./issuer-regions.ts";

const alice = { username: "alice@example.test", password: "alice-demo-password" };
const bob = { username: "bob@example.test", password: "bob-demo-password" };
const bobsSecret = "JBSWY3DPEHPK3PXP";
const scope = "openid email offline_access imap";

/** The region at which bob's codes are used up; the tests end it last. */
const home: Region = homeOf(bob.username, regions) === "east" ? "east" : "west";
const other: Region = home === "east" ? "west" : "east";

let pair: RegionPair;

beforeAll(async () => {
  pair = await startRegionPair();
});

afterAll(async () => {
  await pair[Symbol.asyncDispose]();
});

async function begin(
  region: Region,
  party = relyingParty(pair.both, "web"),
): Promise<{ browser: Browser; form: Page }> {
  const browser = browserOver(pair, [region]);
  const form = await follow(browser, await party.authorize(browser, { scope }));
  return { browser, form };
}

/** A browser at the page of bob's second factor. */
async function atFactor(region: Region, path: string): Promise<{ browser: Browser; page: Page }> {
  const { browser, form } = await begin(region, relyingParty(pair.both, "factor"));
  await follow(browser, await browser.submit(form, bob));
  return { browser, page: await browser.get(path) };
}

/** Sends the same code at both regions, in two sign-ins each. @returns how many succeed */
async function race(path: string, code: string): Promise<number> {
  const all = await Promise.all([...regions, ...regions].map((region) => atFactor(region, path)));
  const pages = await Promise.all(
    all.map(async ({ browser, page }) => follow(browser, await browser.submit(page, { code }))),
  );
  return pages.filter(({ status, text }) => status < 400 && !text.includes('name="code"')).length;
}

test("of concurrent sign-ins at both regions with the same code of an authenticator app, one succeeds", async () => {
  const step = Math.floor(Date.now() / 30_000);
  expect(await race("/login/totp", totpCode(bobsSecret, step))).toBe(1);
  expect(await race("/login/totp", totpCode(bobsSecret, step))).toBe(0);
});

test("of concurrent sign-ins at both regions with the same recovery code, one succeeds", async () => {
  expect(await race("/login/recovery", "BOBS-RACE")).toBe(1);
  expect(await race("/login/recovery", "BOBS-RACE")).toBe(0);
});

test("while a region is away, what it keeps is temporarily unavailable, and new sign-ins begin elsewhere", async () => {
  const party = relyingParty(pair.both, "web");
  const { browser, form } = await begin(home, party);
  const signedIn = await follow(browser, await browser.submit(form, alice));
  const { body: tokens } = await party.redeem(signedIn);
  const again = codeOf(await party.authorize(browser, { scope }));
  const { browser: halfway, form: halfForm } = await begin(home);
  const factor = await atFactor(other, "/login/totp");
  pair.stacks[home].stack.gateway.signal("SIGKILL");

  const redeemed = { grant_type: "authorization_code", code: again, redirect_uri: "http://127.0.0.1:8090/callback" };
  const refreshed = { grant_type: "refresh_token", refresh_token: String(tokens["refresh_token"]) };
  for (const [path, sent] of [
    ["/oidc/token", redeemed],
    ["/oidc/token", refreshed],
    ["/oidc/introspect", { token: String(tokens["access_token"]) }],
    ["/oidc/revoke", { token: String(tokens["refresh_token"]) }],
  ] as const) {
    const { status, body, headers } = await post(pair, other, path, sent);
    expect([status, body["error"], headers.get("retry-after")]).toEqual([503, "temporarily_unavailable", "5"]);
  }
  const mail = {
    username: alice.username,
    password: String(tokens["access_token"]),
    method: "xoauth2",
    protocol: "imap",
  };
  expect((await askJson(pair.urlOf(other), { ...mail, client_ip: "192.0.2.9" })).status).toBe(500);

  const moved = browserOver(pair, [other]);
  for (const [name, value] of halfway.cookies) moved.cookies.set(name, value);
  const stuck = await moved.send("/login", {
    method: "POST",
    headers: { accept: "text/html", "accept-language": "de" },
    body: new URLSearchParams({
      ...alice,
      csrf_token: /name="csrf_token" value="([^"]+)"/.exec(halfForm.text)?.[1] ?? "",
    }),
  });
  expect([stuck.status, stuck.text.includes("Bitte erneut anmelden")]).toEqual([503, true]);
  const out = await moved.get("/logout", { accept: "text/html" });
  expect([out.status, out.text.includes("Temporarily unavailable")]).toEqual([503, true]);

  const anew = await follow(moved, await party.authorize(moved, { scope }));
  expect(moved.cookies.get(regionCookie)).toBe(other);
  expect(codeOf(await follow(moved, await moved.submit(anew, alice)))).toMatch(new RegExp(`^${other}~`));

  const failed = await factor.browser.submit(factor.page, {
    code: totpCode(bobsSecret, Math.floor(Date.now() / 30_000)),
  });
  expect(failed.status).toBeGreaterThanOrEqual(500);
});
