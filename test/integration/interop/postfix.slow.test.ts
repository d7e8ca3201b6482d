import { chmod, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Dovecot, type Postfix, poll, scratchFolder, spawnDovecot, spawnPostfix } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice } from "../../support/ask-json.ts";
import { connectLines, type LineClient } from "../../support/line-client.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";
import { startTcpRecorder, type TcpRecorder } from "../../support/tcp-server.ts";
import { shipped as shippedDovecot } from "./dovecot-setting.ts";
import { type NginxSetting, repository, startNginxSetting } from "./nginx-setting.ts";

// Postfix changes users, so it starts only as root.
const isRoot = process.getuid?.() === 0;

const shipped = (file: string): Promise<string> => readFile(join(repository, "deploy/postfix", file), "utf8");
const names = "myhostname = mail.example.test\nmydestination = example.test\n";
const { username, password } = alice;
const plain = (secret: string): string => Buffer.from(`\0${username}\0${secret}`).toString("base64");

test.each(["behind-nginx.cf", "dovecot-sasl.cf", "dovecot-auth.conf", "submission.cf"])(
  "docs/connect/postfix.md shows %s",
  async (file) => {
    const page = await readFile(join(repository, "docs/connect/postfix.md"), "utf8");
    expect(page).toContain(await shipped(file));
  },
);

async function greet(port: number): Promise<LineClient> {
  const client = await connectLines(port);
  await client.until(/^220/);
  client.send("EHLO client.example.test");
  await client.until(/^250 /);
  return client;
}

async function ask(client: LineClient, line: string): Promise<string> {
  client.send(line);
  return client.until(/^\d{3} /);
}

/** The answer to a recipient of another site. */
async function relay(client: LineClient): Promise<string> {
  await ask(client, `MAIL FROM:<${username}>`);
  return ask(client, "RCPT TO:<someone@elsewhere.test>");
}

describe.skipIf(!isRoot)("behind nginx, as root", () => {
  const owned = new AsyncDisposableStack();
  let postfix: Postfix;
  let setting: NginxSetting;
  beforeAll(async () => {
    // Many sites have these settings, with the files for Dovecot's socket.
    const config = `${names}smtpd_tls_auth_only = yes\n`;
    postfix = owned.use(await spawnPostfix({ config, listener: await shipped("behind-nginx.cf") }));
    setting = owned.use(await startNginxSetting({ smtp: postfix.smtpPort }));
  });
  afterAll(() => owned.disposeAsync());

  test("after a login at nginx, Postfix relays, and its log names the account and the client's address", async () => {
    await using client = await greet(setting.ports.submission);
    expect(await ask(client, `AUTH PLAIN ${plain(password)}`)).toMatch(/^235 /);
    expect(await relay(client)).toMatch(/^250 /);
    const line = new RegExp(`client=\\S+\\[127\\.0\\.0\\.1\\], sasl_method=XCLIENT, sasl_username=${username}`, "u");
    await poll("the log line", async () => line.test(await postfix.log()));
  });

  test("a wrong password never reaches Postfix", async () => {
    await using client = await greet(setting.ports.submission);
    expect(await ask(client, `AUTH PLAIN ${plain("wrong")}`)).toMatch(/^535 5\.7\.0 /);
    expect(await ask(client, `MAIL FROM:<${username}>`)).not.toMatch(/^2/);
  });

  test("a client that reaches Postfix directly cannot relay", async () => {
    await using client = await greet(postfix.smtpPort);
    expect(await relay(client)).toMatch(/^554 /);
  });

  test.each(["yes", "no"])(
    "a host that is not listed cannot name an account, with smtpd_sasl_auth_enable=%s",
    async (isEnabled) => {
      const listener = (await shipped("behind-nginx.cf"))
        .replace("xclient_hosts=127.0.0.1", "xclient_hosts=192.0.2.1")
        .replace("auth_enable=yes", `auth_enable=${isEnabled}`);
      await using other = await spawnPostfix({ config: names, listener });
      await using client = await greet(other.smtpPort);
      const xclient = `XCLIENT ADDR=203.0.113.9 LOGIN=${username} NAME=[UNAVAILABLE]`;
      expect(await ask(client, xclient)).toMatch(/^550 5\.7\.0 .*insufficient authorization/);
      expect(await relay(client)).toMatch(/^554 /);
    },
  );

  test("the port for other sites' mail takes no account from nginx's address, and does not relay", async () => {
    const ports = "smtpd_sasl_auth_enable = no\nmynetworks =\n";
    await using other = await spawnPostfix({ config: names + ports });
    await using client = await greet(other.smtpPort);
    expect(await ask(client, `XCLIENT LOGIN=${username}`)).toMatch(/^5\d\d /);
    expect(await relay(client)).toMatch(/^[45]54 /);
  });
});

describe.skipIf(!isRoot)("with Dovecot's socket, as root", () => {
  const owned = new AsyncDisposableStack();
  let stack: Stack;
  let recorder: TcpRecorder;
  let dovecot: Dovecot;
  let postfix: Postfix;
  let port25: Postfix;
  beforeAll(async () => {
    stack = owned.use(await startStack({ shape: "five" }));
    recorder = owned.use(await startTcpRecorder(() => Number(new URL(stack.url).port)));
    const { path: folder } = owned.use(await scratchFolder());
    await chmod(folder, 0o755);
    const socket = join(folder, "auth");
    const lua = (await shippedDovecot("postern.lua"))
      .replace("127.0.0.1:9080", `127.0.0.1:${recorder.port}`)
      .replace(/Basic [\w=]+(?=")/, basicAuth);
    const listener = (await shipped("dovecot-auth.conf")).replace("/var/spool/postfix/private/auth", socket);
    const config = `${await shippedDovecot("dovecot.conf")}\n${listener}`;
    dovecot = owned.use(await spawnDovecot({ config, files: { "/etc/dovecot/postern.lua": lua } }));
    const sasl = (await shipped("dovecot-sasl.cf")).replace("private/auth", socket);
    // The test speaks without TLS, and its own address must not be trusted.
    const here = "smtpd_tls_auth_only = no\nmynetworks =\n";
    const port = (await shipped("submission.cf")).replace("level=encrypt", "level=none").replace(" n - y ", " n - n ");
    postfix = owned.use(await spawnPostfix({ config: names + sasl + here, listener: port }));
    port25 = owned.use(await spawnPostfix({ config: names + sasl + here }));
  });
  afterAll(() => owned.disposeAsync());

  test("an account may send to other sites, and Postern receives the client's address", async () => {
    await using client = await greet(postfix.smtpPort);
    expect(await ask(client, `AUTH PLAIN ${plain(password)}`)).toMatch(/^235 /);
    expect(await relay(client)).toMatch(/^250 /);
    const sent = recorder.sent.map((bytes) => Buffer.from(bytes, "latin1").toString("utf8")).join("");
    expect(JSON.parse(/\{.*"username".*\}/.exec(sent)?.[0] ?? "")).toMatchObject({
      username,
      protocol: "smtp",
      method: "plain",
      client_ip: "127.0.0.1",
    });
  });

  test("a wrong password is 535, and nothing is relayed", async () => {
    await using client = await greet(postfix.smtpPort);
    expect(await ask(client, `AUTH PLAIN ${plain("wrong")}`)).toMatch(/^535 /);
    expect(await relay(client)).toMatch(/^554 /);
  });

  test("port 25 accepts no password", async () => {
    await using client = await greet(port25.smtpPort);
    expect(await ask(client, `AUTH PLAIN ${plain(password)}`)).toMatch(/^503 .*authentication not enabled/);
    expect(await relay(client)).toMatch(/^554 /);
  });

  test("while no engine can decide, Dovecot reports a temporary failure, which Postfix answers as a wrong password, as the page says", async () => {
    await Promise.all(stack.engines.map((engine) => engine.stop()));
    await using client = await greet(postfix.smtpPort);
    expect(await ask(client, `AUTH PLAIN ${plain(password)}`)).toMatch(/^535 5\.7\.8 .*reason unavailable/);
    expect(dovecot.output()).toContain("postern: 500");
    const { output } = await dovecot.doveadm("auth", "test", username, password);
    expect(output).toContain("code=temp_fail");
  });
});
