import { afterAll, beforeAll, expect, test } from "vitest";
import { type Browser, createBrowser, formOf, type Page } from "../../support/browser.ts";
import { logLineOf } from "../../support/log-lines.ts";
import { atEachEngine } from "./sign-ins.ts";
import {
  bot,
  confirmPath,
  home,
  login,
  longAgo,
  startUserStack,
  suspiciousPath,
  tokenOf,
  type UserStack,
} from "./user-stack.ts";

const start = "/mfa/register/home";
let users: UserStack;

/** Bob alone has a second factor. */
beforeAll(async () => {
  const webhook = { url: "http://127.0.0.1:9/hook", secret: "a-secret-of-webhooks-0123456789" };
  users = await startUserStack(
    { known_after: "0s", weights: { new_source: 60 }, suspicious: { score: 60, responses: ["second_factor"] } },
    { identity: { notices: { enabled: true, webhook } } },
  );
  for (const name of ["alice", "bob", "carol"]) await users.settle(name);
}, 300_000);

afterAll(() => users[Symbol.asyncDispose]());

async function byMail(name: string, clientIp: string, protocol: string) {
  const { status, headers } = await users.byMail(name, clientIp, protocol);
  const line = await logLineOf(users.idp.stack.gateway, headers.get("x-service-session") ?? undefined, "decided");
  // How many sign-ins it takes until each engine has decided one differs, and so whether they are many.
  const signals = String(line["risk_signals"] ?? "").split(" ");
  return { status, signals: signals.filter((signal) => signal !== "many_submissions").join(" ") };
}

async function onPages(browser: Browser, name: string): Promise<Page> {
  return browser.submit(await browser.open(start), login(name));
}

const alertIn = ({ text }: Page): string => /role="alert" id="problem">([^<]+)</.exec(text)?.[1] ?? "";

test("legacy_protocol is raised at two engines for mail programs of an account with a second factor, and for no other account", async () => {
  const { stack } = users.idp;
  for (const protocol of ["imap", "smtp", "pop3"]) {
    for (const [name, clientIp, expected] of [
      ["bob", bot, "new_source legacy_protocol"],
      ["carol", bot, "new_source"],
      ["bob", home, ""],
    ] as const) {
      for (const { signals } of await atEachEngine(stack, () => byMail(name, clientIp, protocol))) {
        expect([name, clientIp, signals]).toEqual([name, clientIp, expected]);
      }
    }
  }
});

test("second_factor: a password alone does not sign in on the pages from an unknown network, and mail programs are not affected", async () => {
  const { idp } = users;
  for (const refused of await atEachEngine(idp.stack, () => onPages(createBrowser(idp.replicas, bot), "alice"))) {
    expect(alertIn(refused)).toContain("use a network or browser that you have used before");
  }
  for (const { status } of await atEachEngine(idp.stack, () => byMail("alice", bot, "imap"))) expect(status).toBe(200);
  const bobs = createBrowser(idp.replicas, bot);
  const redirected = await onPages(bobs, "bob");
  expect((await bobs.open(redirected.location ?? "")).text).toContain("Authenticator app");
  const own = await onPages(createBrowser(idp.replicas, home), "alice");
  expect([own.status, own.location]).toEqual([302, expect.stringContaining(start)]);
});

test("the refusal is in the language of the page, whichever the browser prefers", async () => {
  const browser = createBrowser(users.idp.replicas, bot);
  const page = await browser.open(`${start}/fr`);
  const { action, hidden } = formOf(page);
  const body = new URLSearchParams({ ...hidden, ...login("alice") });
  const refused = await browser.send(action, { method: "POST", body, headers: { "accept-language": "de, en;q=0.5" } });
  expect(refused.text).toContain('<html lang="fr"');
  expect(alertIn(refused)).toContain("Connexion inhabituelle");
});

test("a browser in which the user has confirmed a sign-in is known in every network", async () => {
  const { replicas } = users.idp;
  const signedInBefore = createBrowser(replicas, home);
  expect(alertIn(await onPages(signedInBefore, "alice"))).toBe("");
  const browser = await users.browserOf("alice", longAgo(), home);
  browser.cookies.set("service_device", signedInBefore.cookies.get("service_device") ?? "");
  const page = await browser.open(suspiciousPath);
  expect((await browser.post(confirmPath(page) ?? "", tokenOf(page))).status).toBe(302);
  const token = browser.cookies.get("service_device") ?? "";
  expect(token).not.toBe("");
  for (const clientIp of ["203.0.113.7", "203.0.114.7"]) {
    const elsewhere = createBrowser(replicas, clientIp);
    expect(alertIn(await onPages(elsewhere, "alice"))).toContain("browser that you have used before");
    const known = createBrowser(replicas, clientIp);
    known.cookies.set("service_device", token);
    expect(alertIn(await onPages(known, "alice"))).toBe("");
    // The browser of one account says nothing about another.
    const other = createBrowser(replicas, clientIp);
    other.cookies.set("service_device", token);
    expect(alertIn(await onPages(other, "carol"))).toContain("browser that you have used before");
  }
  expect(await users.kept()).not.toContain(token);
});
