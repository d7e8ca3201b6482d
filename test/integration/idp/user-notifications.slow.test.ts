import { createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type AccountNotification, accountNotified } from "@postern/shared/contracts";
import { freePort, poll, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Browser, createBrowser, hiddenFields, type Page } from "../../support/browser.ts";
import { makeCertificate } from "../../support/certificates.ts";
import {
  type HookReceiver,
  type MailCertificate,
  type MailReceiver,
  type ReceivedHook,
  startHookReceiver,
  startMailReceiver,
} from "../../support/notification-receivers.ts";
import { redisContent, testRedis } from "../../support/redis-content.ts";
import { makeBus } from "../bus/bus-fixture.ts";
import { type IdpStack, startIdpStack } from "./idp-stack.ts";

const secret = "a-secret-of-webhooks-0123456789";
const home = "/mfa/register/home";
let hooks: HookReceiver;
let mails: MailReceiver;
let idp: IdpStack;
let trusted: MailCertificate;
let untrusted: MailCertificate;
const notified: AccountNotification[] = [];
const owned = new AsyncDisposableStack();
const mailPassword = "mail-password-0123456789";

async function readCertificate(folder: string, name: string): Promise<MailCertificate> {
  await makeCertificate(folder, name, "/CN=localhost");
  const [cert, key] = await Promise.all(
    ["crt", "key"].map((kind) => readFile(join(folder, `${name}.${kind}`), "utf8")),
  );
  if (cert === undefined || key === undefined) throw new Error("no certificate");
  return { cert, key };
}

beforeAll(async () => {
  const { path: folder } = owned.use(await scratchFolder());
  [trusted, untrusted] = await Promise.all([readCertificate(folder, "trusted"), readCertificate(folder, "untrusted")]);
  const [hookPort, mailPort] = await Promise.all([freePort(), freePort()]);
  hooks = owned.use(await startHookReceiver(hookPort, trusted));
  const login = { username: "postern", password: mailPassword };
  mails = owned.use(await startMailReceiver({ port: mailPort, certificate: trusted, ...login }));
  const webhook = { url: `https://localhost:${hookPort}/hook`, secret, timeout: "10s" };
  const mail = { server: `localhost:${mailPort}`, ...login, from: "Security <security@example.test>" };
  idp = owned.use(
    await startIdpStack(
      {
        runtime: { outgoing_tls: { ca_file: join(folder, "trusted.crt") } },
        identity: { notices: { enabled: true, webhook, mail } },
      },
      { gateway: false, shape: "five" },
    ),
  );
  await idp.stack.start("jobs-worker");
  const bus = owned.use(await makeBus(idp.stack.nats.url, { namespace: "postern" }));
  bus.subscribe(accountNotified, (notification) => void notified.push(notification));
  await bus.flush();
});

afterAll(() => owned.disposeAsync());

const newBrowser = (): Browser => createBrowser(idp.replicas);
const csrfIn = (page: Page): string => hiddenFields(page)["csrf_token"] ?? "";

async function signIn(browser: Browser, name: string): Promise<Page> {
  const login = await browser.open(`${home}/de`);
  return browser.submit(login, { username: `${name}@example.test`, password: `${name}-demo-password` });
}

const hooksFor = (event: string): readonly ReceivedHook[] =>
  hooks.received.filter(({ body }) => Object(JSON.parse(body)).event === event);

const header = ({ headers }: ReceivedHook, name: string): string => String(headers[name]);

/** Verifies Standard Webhooks independently of the code under test. */
function isSigned(hook: ReceivedHook): boolean {
  const content = `${header(hook, "webhook-id")}.${header(hook, "webhook-timestamp")}.${hook.body}`;
  const mac = createHmac("sha256", secret).update(content).digest("base64");
  const age = Math.abs(Date.now() / 1000 - Number(header(hook, "webhook-timestamp")));
  return header(hook, "webhook-signature") === `v1,${mac}` && age < 60;
}

/** The decoded text of a mail in quoted-printable or base64. */
function textOf(source: string): string {
  const [head = "", ...rest] = source.split("\r\n\r\n");
  const body = rest.join("\r\n\r\n");
  if (/content-transfer-encoding: base64/i.test(head)) return Buffer.from(body, "base64").toString("utf8");
  const bytes = body
    .replaceAll("=\r\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}

test("a sign-in with a new browser notifies the user once by webhook and mail, even if it happens twice in parallel", async () => {
  const browser = newBrowser();
  const [one, two] = [await browser.open(`${home}/de`), await browser.open(`${home}/de`)];
  const alice = { username: "alice@example.test", password: "alice-demo-password" };
  // The browser already has its cookie from the sign-in of another account.
  expect((await signIn(browser, "carol")).headers.getSetCookie().join()).toMatch(
    /service_device=[\w-]{43}; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Lax/,
  );
  await poll("the first notification", () => hooksFor("new_device").length === 1);
  await Promise.all([browser.submit(one, alice), browser.submit(two, alice)]);
  await poll("the second notification", () => hooksFor("new_device").length === 2 && mails.received.length === 2);
  const [, hook] = hooksFor("new_device");
  if (hook === undefined) throw new Error("there is no second notification");
  expect(isSigned(hook)).toBe(true);
  expect(JSON.parse(hook.body)).toEqual({
    id: header(hook, "webhook-id"),
    event: "new_device",
    account: "alice@example.test",
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    client_ip: "192.0.2.7",
    user_agent: "test browser",
    session: expect.stringMatching(/^test-session-/),
  });
  await poll("the event", () => notified.length === 2);
  expect(notified[1]).toEqual(JSON.parse(hook.body));
  const mail = mails.received.find(({ to }) => to.includes("alice@example.test"));
  expect(mail?.source).toMatch(/^Auto-Submitted: auto-generated/m);
  expect(textOf(mail?.source ?? "")).toContain("Ihrem Konto alice@example.test");
  // The browser is known from now on; another browser is not.
  await signIn(browser, "alice");
  await signIn(newBrowser(), "alice");
  await poll("the third notification", () => hooksFor("new_device").length === 3);
  expect(await idp.first.metrics()).toMatch(/idp_notices_total\{event="new_device",result="lost"\} 0\n/);
});

test("an unavailable receiver gets each notification exactly once when it is back", async () => {
  const browser = newBrowser();
  await signIn(browser, "carol");
  await hooks.close();
  const page = await browser.submit(await browser.open("/mfa/app-passwords"), { label: "Phone" });
  expect(page.status).toBe(200);
  const worker = idp.stack.services.get("jobs-worker");
  await poll("a failed attempt", async () => {
    const metrics = await worker?.metrics();
    return /notices_total\{channel="webhook",result="retried"\} [1-9]/.test(metrics ?? "");
  });
  await hooks.open();
  await poll("the notification", () => hooksFor("app_password_created").length === 1);
  expect(hooksFor("app_password_created").every(isSigned)).toBe(true);
  const ids = hooks.received.map((hook) => header(hook, "webhook-id"));
  expect(new Set(ids).size).toBe(ids.length);
});

const metric = async (name: string): Promise<number> => {
  const metrics = (await idp.stack.services.get("jobs-worker")?.metrics()) ?? "";
  const line = metrics.split("\n").find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1));
};

const log = (): string => idp.stack.services.get("jobs-worker")?.output() ?? "";

/** Only alice's notifications count: one of another account's sign-in may still be on its way. */
const ofAlice = (): readonly ReceivedHook[] =>
  hooksFor("new_device").filter(({ body }) => Object(JSON.parse(body)).account === "alice@example.test");

test("delivery is retried until the mail server accepts our password and presents a trusted certificate", async () => {
  const retries = 'service_notices_total{channel="mail",result="retried"}';
  const hooksBefore = ofAlice().length;
  const retriesBefore = await metric(retries);
  let id = "";
  const came = (): number => mails.received.filter(({ source }) => source.includes(`<${id}@`)).length;
  mails.demand("another");
  try {
    await signIn(newBrowser(), "alice");
    await poll("a failed login", () => log().includes("wrong user or password"));
    mails.present(untrusted);
    await poll("a rejected certificate", () => log().includes("self-signed certificate"));
    // The server demands the password only now: a connection that began with the trusted certificate would deliver.
    mails.demand(mailPassword);
    await poll("two counted retries", async () => (await metric(retries)) >= retriesBefore + 2);
    await poll("the gauge of delayed notifications", async () => (await metric("service_notices_delayed")) >= 1);
    id = header(await poll("the webhook", () => ofAlice()[hooksBefore]), "webhook-id");
    expect(came()).toBe(0);
  } finally {
    mails.demand(mailPassword);
    mails.present(trusted);
  }
  await poll("the mail", () => came() === 1);
  expect(await metric('service_notices_total{channel="mail",result="failed"}')).toBe(0);
  const login = Buffer.from(`\0postern\0${mailPassword}`).toString("base64");
  for (const secretText of [mailPassword, login]) expect(log()).not.toContain(secretText);
});

test("waiting notifications are encrypted, and survive a restart of idp and jobs-worker", async () => {
  const browser = createBrowser([idp.replicas[0]]);
  await signIn(browser, "carol");
  await idp.stack.services.get("jobs-worker")?.stop();
  const list = await browser.open("/mfa/app-passwords");
  const [path = ""] = /\/mfa\/app-password\/[0-9a-f]{16}/.exec(list.text) ?? [];
  await browser.post(path, { csrf_token: csrfIn(list), _method: "DELETE" });
  await idp.first.stop();
  const redis = await testRedis(idp.stack.redis?.port ?? 0);
  const content = await redisContent(redis);
  redis.disconnect();
  expect(content).toMatch(/\{jobs\}:notices:[\w-]+-webhook/);
  expect(content).not.toContain("carol@example.test");
  expect(hooksFor("app_password_deleted")).toHaveLength(0);
  await idp.stack.start("jobs-worker");
  await poll("the notification", () => hooksFor("app_password_deleted").length === 1);
  // No notification was delivered twice.
  expect(new Set(hooks.received.map(({ body }) => body)).size).toBe(hooks.received.length);
});
