import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { freePort, poll, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { makeCertificate } from "../../support/certificates.ts";
import {
  type HookReceiver,
  type MailReceiver,
  startHookReceiver,
  startMailReceiver,
} from "../../support/notification-receivers.ts";
import { type IdpStack, startIdpStack } from "../idp/idp-stack.ts";
import { remembered, reportedIn, reportsOf } from "./sign-ins.ts";

const owned = new AsyncDisposableStack();
const login = { username: "postern", password: "mail-password-0123456789" };
let hooks: HookReceiver;
let mails: MailReceiver;
let idp: IdpStack;

/** Every new network is suspicious, so that no places are needed. */
const risk = {
  mode: "enforce",
  learn_for: "0s",
  known_after: "0s",
  suspicious: { score: 10, responses: ["notify"] },
};
const contact = "alice@elsewhere.example";
const [home, bot, hotel] = ["192.0.2.7", "198.51.100.7", "203.0.113.7"] as const;

beforeAll(async () => {
  const { path: folder } = owned.use(await scratchFolder());
  await makeCertificate(folder, "trusted", "/CN=localhost");
  const [cert = "", key = ""] = ["crt", "key"].map((kind) => readFileSync(join(folder, `trusted.${kind}`), "utf8"));
  const [hookPort, mailPort] = await Promise.all([freePort(), freePort()]);
  hooks = owned.use(await startHookReceiver(hookPort));
  mails = owned.use(await startMailReceiver({ port: mailPort, certificate: { cert, key }, ...login }));
  const webhook = { url: `http://127.0.0.1:${hookPort}/hook`, secret: "a-secret-of-webhooks-0123456789" };
  const mail = { server: `localhost:${mailPort}`, ...login, from: "Security <security@example.test>" };
  idp = owned.use(
    await startIdpStack(
      {
        runtime: { outgoing_tls: { ca_file: join(folder, "trusted.crt") } },
        auth: {
          risk,
          controls: { enabled: ["brute_force"] },
        },
        identity: { notices: { enabled: true, webhook, mail } },
      },
      { services: ["jobs-worker"] },
    ),
  );
  using database = new DatabaseSync(idp.directoryFile);
  database.prepare("UPDATE users SET mail = ? WHERE username = ?").run(contact, alice.username);
});

afterAll(() => owned.disposeAsync());

const signIn = async (clientIp: string): Promise<number> =>
  (await askJson(idp.stack.url, { ...alice, protocol: "imap", client_ip: clientIp })).status;

const remember = (clientIp: string): Promise<number> =>
  remembered(idp.stack, { account: alice.username }, () => signIn(clientIp));

test("a suspicious sign-in notifies the user outside the mailbox and the operator by webhook, once for its network", async () => {
  expect(await remember(home)).toBe(200);
  expect(await remember(bot)).toBe(200);
  await poll("the webhook", () => hooks.received.length > 0);
  await poll("the mail", () => mails.received.length > 0);
  // Both engines read that the network is no news.
  for (let index = 0; index < 6; index += 1) expect(await signIn("198.51.100.8")).toBe(200);
  expect(await remember(hotel)).toBe(200);
  await poll("the second network", () => hooks.received.length > 1);
  const bodies = hooks.received.map(({ body }) => Object(JSON.parse(body)));
  expect(bodies.map(({ event, account, client_ip: ip }) => [event, account, ip])).toEqual([
    ["suspicious_sign_in", alice.username, bot],
    ["suspicious_sign_in", alice.username, hotel],
  ]);
  await poll("the second mail", () => mails.received.length > 1);
  expect(mails.received.map(({ to }) => to)).toEqual([[contact], [contact]]);
});

test("engines that decide sign-ins of one account at the same time send one notification", async () => {
  const { engines } = idp.stack;
  const before = hooks.received.length;
  const met: string[] = [];
  const metByBoth = () => met.filter((clientIp) => engines.every((engine) => reportsOf(engine, clientIp) > 0)).length;
  await poll("both engines to report the same networks", async () => {
    const clientIp = `100.64.${met.length}.7`;
    await Promise.all(Array.from({ length: 8 }, () => signIn(clientIp)));
    met.push(clientIp);
    return metByBoth() >= 3;
  });
  await poll("the webhooks", () => hooks.received.length >= before + met.length);
  expect(await signIn("100.65.0.7")).toBe(200);
  await poll("the webhook of a later sign-in", () => hooks.received.some(({ body }) => body.includes("100.65.0.7")));
  // Each engine reports the sign-in that it decided.
  const references = engines.flatMap((engine) => met.flatMap((clientIp) => reportedIn(engine, clientIp)));
  expect(new Set(references).size).toBe(references.length);
  const notified = hooks.received.slice(before).map(({ body }) => String(Object(JSON.parse(body)).client_ip));
  expect(notified.toSorted()).toEqual([...met, "100.65.0.7"].toSorted());
});
