import { hash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { RedisClient } from "@postern/shared/platform/redis";
import { freePort, poll, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { saltedHash } from "../../support/accounts-database.ts";
import { askAdmin } from "../../support/ask-admin.ts";
import { askJson } from "../../support/ask-json.ts";
import { createBrowser } from "../../support/browser.ts";
import { makeCertificate } from "../../support/certificates.ts";
import { sharedChromium } from "../../support/chromium.ts";
import {
  type HookReceiver,
  type MailReceiver,
  startHookReceiver,
  startMailReceiver,
} from "../../support/notification-receivers.ts";
import { signedIn } from "../../support/oidc-user.ts";
import { redisContent, testRedis } from "../../support/redis-content.ts";
import { startTraceReceiver, type TraceReceiver } from "../../support/trace-receiver.ts";
import { type ConsoleStack, cookieHeader, openConsole, startConsoleStack } from "../admin/console-stack.ts";
import { type Canary, foundIn, nameCanary, networkCanary, secretCanary } from "./canary-forms.ts";
import { atEachEngine, remembered } from "./sign-ins.ts";

const privacyPage = fileURLToPath(new URL("../../../docs/operate/privacy.md", import.meta.url));

const user = { username: "canary-5d1c@example.test", password: 'Canary "Summer" & 2026' };
const contact = "canary-contact-5d1c@elsewhere.example";
const guess = "Canary-Winter-2027";
/** The addresses are of a benchmark range, because pages and documents contain addresses of the ranges for documentation. */
const [home, bot] = ["198.18.71.7", "198.19.72.7"] as const;
const guessing = (place: number): string => `198.18.${180 + place}.9`;

const canaries: Readonly<Record<string, readonly Canary[]>> = {
  "Account name": [nameCanary(user.username), nameCanary("canary-5d1c"), nameCanary(contact)],
  "Client address": ["198.18.71.", "198.19.72.", "198.18.18"].map(networkCanary),
  "Password, or a digest of it": [user.password, guess].map(secretCanary),
};

/** Every new network is suspicious, so that no places are needed. */
const risk = {
  mode: "enforce",
  learn_for: "0s",
  known_after: "1m",
  suspicious: { score: 10, responses: ["notify"] },
};

const owned = new AsyncDisposableStack();
const texts = new Map<string, string>();
let desk: ConsoleStack;
let hooks: HookReceiver;
let mails: MailReceiver;
let traces: TraceReceiver;

/** A process with everything that receives facts about sign-ins: receivers of mail, webhooks and traces, and a console. */
async function start(): Promise<void> {
  const { path: folder } = owned.use(await scratchFolder());
  writeFileSync(join(folder, "leaked"), `${hash("sha1", user.password, "hex").toUpperCase()}:3\n`);
  await makeCertificate(folder, "trusted", "/CN=localhost");
  const [cert = "", key = ""] = ["crt", "key"].map((kind) => readFileSync(join(folder, `trusted.${kind}`), "utf8"));
  const [hookPort, mailPort] = await Promise.all([freePort(), freePort()]);
  const mailLogin = { username: "postern", password: "mail-password-0123456789" };
  hooks = owned.use(await startHookReceiver(hookPort));
  mails = owned.use(await startMailReceiver({ port: mailPort, certificate: { cert, key }, ...mailLogin }));
  traces = owned.use(await startTraceReceiver());
  const webhook = { url: `http://127.0.0.1:${hookPort}/hook`, secret: "a-secret-of-webhooks-0123456789" };
  const mail = { server: `localhost:${mailPort}`, ...mailLogin, from: "Security <security@example.test>" };
  desk = owned.use(
    await startConsoleStack(
      {
        auth: { risk: { ...risk, leaked_passwords_file: join(folder, "leaked") } },
        identity: { notices: { enabled: true, webhook, mail } },
        runtime: { developer_mode: true, outgoing_tls: { ca_file: join(folder, "trusted.crt") } },
        observability: { tracing: { enabled: true, endpoint: traces.url, sampler_ratio: 1 } },
      },
      { services: ["jobs-worker"] },
    ),
  );
  using database = new DatabaseSync(desk.directoryFile);
  database
    .prepare("INSERT INTO users (username, password, display_name, mail, uid) VALUES (?, ?, 'Canary', ?, 'canary')")
    .run(user.username, saltedHash(user.password), contact);
}

const byMail = (clientIp: string, password = user.password) =>
  askJson(desk.stack.url, { ...user, password, protocol: "imap", client_ip: clientIp, user_agent: "Thunderbird/140" });

/** Signs in at home and from an unknown network, and guesses from others: by mail programs and on the pages. */
async function signIn(): Promise<void> {
  const { stack } = desk;
  const account = user.username;
  expect((await remembered(stack, { account }, () => byMail(home))).status).toBe(200);
  await remembered(stack, { account, kind: "review" }, () => byMail(bot));
  for (const { status } of await atEachEngine(stack, () => byMail(bot))) expect(status).toBe(200);
  for (let place = 0; place < 6; place += 1) expect((await byMail(guessing(place), guess)).status).toBe(403);
  // A network with three failures is banned, and shown to operators.
  for (const name of ["a", "b", "c"]) await byMail(guessing(9), `${guess} ${name}`);
  for (const password of [guess, user.password]) {
    const browser = createBrowser([stack.idpUrl], bot);
    await browser.submit(await browser.open("/mfa/register/home"), { ...user, password });
  }
}

/** What the user and the operators see. */
async function look(redis: RedisClient): Promise<void> {
  const { stack } = desk;
  const own = createBrowser([stack.idpUrl], home);
  const loginTs = Math.floor(Date.now() / 1000) - 1800;
  const [, sid = ""] = (await signedIn(redis, user.username, { loginTs, attributes: {} })).split("=");
  own.cookies.set("service_session", sid);
  const page = await own.open("/mfa/suspicious-sign-ins");
  expect(page.text).toContain("Was this you?");
  texts.set("Page *Was this you?*", page.text);
  await poll("webhook and mail", () => hooks.received.length > 0 && mails.received.length > 0);
  texts.set("Webhook", hooks.received.map(({ body, headers }) => `${JSON.stringify(headers)} ${body}`).join("\n"));
  texts.set("Mail to the user", mails.received.map(({ to, source }) => `${to.join(" ")}\n${source}`).join("\n"));
  const risks = await askAdmin(stack, "GET", `/api/v1/console/risk?query=${encodeURIComponent(user.username)}`);
  expect(risks.text).toContain("leaked_password");
  texts.set("`GET /api/v1/console/risk`", risks.text);
  const seen = await readConsole();
  expect(seen).toContain("Leaked password: the password is in the list");
  texts.set("Console", seen);
}

const expectedSpans = [
  "postern-gateway POST /api/v1/auth/json",
  "postern-idp POST /login",
  "postern-admin GET /api/v1/console/risk",
  "postern-auth-engine auth-engine/authenticate",
  "postern-auth-engine redis evalsha",
];

function placeOf(keyAndValue: string): string {
  if (/^\w+:risk:/u.test(keyAndValue)) return "Facts about sign-ins";
  return /^\w+:history:\{/u.test(keyAndValue) ? "Decision history" : "Other keys";
}

/** What the services wrote. */
async function collect(redis: RedisClient): Promise<void> {
  const { stack } = desk;
  const services = [...new Set([...stack.engines, stack.gateway, ...stack.services.values(), desk.second.process])];
  texts.set("Log lines", services.map((service) => service.output()).join("\n"));
  texts.set("Audit records", readFileSync(desk.auditFile, "utf8"));
  texts.set("Metrics", (await Promise.all(services.map((service) => service.metrics()))).join("\n"));
  await poll("spans of all services", () => {
    const found = new Set(traces.spans.map(({ service, name }) => `${service} ${name}`));
    return expectedSpans.every((span) => found.has(span));
  });
  texts.set("Traces", traces.texts.join("\n"));
  const parts = new Map<string, string[]>();
  for (const line of (await redisContent(redis)).split("\n")) {
    const place = placeOf(line);
    parts.set(place, [...(parts.get(place) ?? []), line]);
  }
  for (const [place, lines] of parts) texts.set(`${place}, in Redis`, lines.join("\n"));
}

/** All pages about the account as two operators see them, a part of each stream of events, and what the pages ask. */
async function readConsole(): Promise<string> {
  const chromium = await sharedChromium();
  const parts: string[] = [];
  await using context = await chromium.newContext({ locale: "en-US" });
  const page = await openConsole(context, desk, "ada");
  const cookie = await cookieHeader(context, desk);
  for (const name of ["Search", "Account"]) {
    await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
    await page.getByRole("searchbox").or(page.getByRole("textbox")).first().fill(user.username);
    await page.keyboard.press("Enter");
    await page.waitForURL(/[?&]for=/u);
    await page.getByText(user.username).first().waitFor();
    parts.push(page.url(), await page.content());
  }
  const pages = ["bans", "clients", "system", "configuration", "audit", "api", "api/document"];
  for (const path of pages) {
    const response = await fetch(`${desk.url}/console/${path}`, { headers: { cookie } });
    expect([path, response.status]).toEqual([path, 200]);
    parts.push(await response.text());
  }
  for (const path of ["bans", "system"]) {
    const leaving = new AbortController();
    const response = await fetch(`${desk.url}/console/${path}/events`, { headers: { cookie }, signal: leaving.signal });
    let text = "";
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.includes("event: page\n") && text.endsWith("\n\n")) break;
    }
    leaving.abort();
    parts.push(text);
  }
  return parts.join("\n");
}

interface PrivacyRow {
  readonly place: string;
  readonly cells: readonly (readonly [what: string, may: string])[];
}

/** The table of the privacy page. */
function privacyRows(): readonly PrivacyRow[] {
  const lines = readFileSync(privacyPage, "utf8").split("\n");
  const from = lines.findIndex((line) => line.startsWith("| Place | Account name"));
  const rows = lines.slice(from, lines.indexOf("", from)).map((line) => line.split("|").slice(1, -1));
  const [header = [], , ...body] = rows.map((cells) => cells.map((cell) => cell.trim()));
  return body.map(([place = "", ...cells]) => ({
    place,
    cells: cells.map((may, index) => [header[index + 1] ?? "", may] as const),
  }));
}

beforeAll(async () => {
  await start();
  const redis = await testRedis(desk.stack.redis?.port ?? 0);
  await signIn();
  await look(redis);
  await collect(redis);
  redis.disconnect();
}, 300_000);
afterAll(() => owned.disposeAsync());

describe("names, addresses and passwords are exactly where the privacy page says", () => {
  const rows = privacyRows();

  test("the page has a row for each place, and a column for each kind", () => {
    expect(rows.map(({ place }) => place).toSorted()).toEqual([...texts.keys()].toSorted());
    for (const { cells } of rows) expect(cells.map(([what]) => what)).toEqual(Object.keys(canaries));
  });

  test.each(rows)("$place", ({ place, cells }) => {
    const text = texts.get(place) ?? "";
    expect(text.length).toBeGreaterThan(100);
    for (const [what, may] of cells) {
      const own = canaries[what] ?? [];
      // What may be there is there, so that its absence elsewhere means something.
      if (may === "yes") expect([what, foundIn(text, own).length > 0]).toEqual([what, true]);
      else expect([what, may, foundIn(text, own)]).toEqual([what, "no", []]);
    }
  });

  test("no place may contain a password", () => {
    for (const { cells } of rows) expect(cells.at(-1)).toEqual(["Password, or a digest of it", "no"]);
  });

  test.each(rows)("a canary that is planted in $place is found", ({ place }) => {
    const text = texts.get(place) ?? "";
    const [, , passwords = []] = Object.values(canaries);
    for (const one of passwords) {
      for (const form of one.forms) expect(foundIn(`${text}${form}`, passwords)).toContain(form);
    }
  });
});
