import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { search, shipped as shippedFor23 } from "../../integration/interop/dovecot-setting.ts";
import { repository } from "../../integration/interop/nginx-setting.ts";
import { copyOfAlice } from "../../support/accounts-database.ts";
import { alice } from "../../support/ask-json.ts";
import { connectLines } from "../../support/line-client.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { isTree, merged } from "../../support/stack-config.ts";
import { startTcpRecorder, type TcpRecorder } from "../../support/tcp-server.ts";
import {
  type Dovecot24,
  prepareRoot,
  saslauthdMechanisms,
  shipped,
  spawnDovecot24,
  spawnSaslauthd,
} from "./debian-13.ts";

const { username, password } = alice;
const owned = new AsyncDisposableStack();
let stack: Stack;
let recorder: TcpRecorder;
let dovecot: Dovecot24;
let script: string;

// The first run downloads a Debian 13.
beforeAll(async () => {
  await prepareRoot();
  const httpPort = await freePort();
  recorder = owned.use(await startTcpRecorder(() => httpPort));
  script = (await shipped("postern.lua")).replace("127.0.0.1:9080", `127.0.0.1:${recorder.port}`);
  dovecot = owned.use(await spawnDovecot24(await shipped("dovecot.conf"), script));
  const tree: unknown = parse(await shippedFor23("postern.yaml"));
  if (!isTree(tree)) throw new Error("deploy/dovecot/postern.yaml contains no object");
  const settings = merged(tree, {
    runtime: { servers: { http: { address: [`127.0.0.1:${httpPort}`] } } },
    auth: { backends: { sql: { search: [search("/srv/homes")] } } },
  });
  stack = owned.use(await startStack({ httpPort, settings }));
}, 900_000);

afterAll(() => owned.disposeAsync());

test.each(["dovecot.conf", "postern.lua", "dovecot-oauth2.conf"])(
  "docs/connect/dovecot-2.4.md shows %s",
  async (file) => {
    const page = await readFile(join(repository, "docs/connect/dovecot-2.4.md"), "utf8");
    expect(page).toContain(await shipped(file));
  },
);

/** The bodies of Dovecot's requests so far. */
function requestBodies(): readonly unknown[] {
  const requests = recorder.sent.flatMap((bytes) =>
    Buffer.from(bytes, "latin1")
      .toString("utf8")
      .split(/(?=POST )/),
  );
  return requests.map((request) => JSON.parse(request.slice(request.indexOf("\r\n\r\n") + 4)));
}

async function imapLogin(port: number, user: string, secret: string): Promise<string> {
  await using client = await connectLines(port);
  await client.until(/^\* OK/);
  client.send(`a1 LOGIN ${user} "${secret}"`);
  return await client.until(/^a1 /);
}

describe("saslauthd in front of Dovecot", () => {
  test("passwords are checked, and -r joins a realm to a name that already has it", async () => {
    await using saslauthd = await spawnSaslauthd(dovecot.imapPort, "-r");
    expect(await saslauthd.check("alice", password, "example.test")).toMatch(/^0: OK/);
    expect(await saslauthd.check(username, password)).toMatch(/^0: OK/);
    expect(await saslauthd.check(username, "wrong")).toMatch(/^0: NO/);
    expect(await saslauthd.check(username, password, "example.test")).toMatch(/^0: NO/);
    expect(requestBodies()).toContainEqual(expect.objectContaining({ username: "alice@example.test@example.test" }));
  });

  test("without -r, the realm is lost", async () => {
    await using saslauthd = await spawnSaslauthd(dovecot.imapPort);
    expect(await saslauthd.check("alice", password, "example.test")).toMatch(/^0: NO/);
    expect(requestBodies()).toContainEqual(expect.objectContaining({ username: "alice", password }));
  });

  test("with the line of the page in postern.lua, saslauthd's own address is not sent", async () => {
    const page = await readFile(join(repository, "docs/connect/saslauthd.md"), "utf8");
    const [line = ""] = /^ +client_ip = .*$/m.exec(page) ?? [];
    expect(line).not.toBe("");
    const hidden = script.replace(/^ +client_ip = .*$/m, line);
    await using other = await spawnDovecot24(await shipped("dovecot.conf"), hidden);
    await using saslauthd = await spawnSaslauthd(other.imapPort, "-r");
    const before = requestBodies().length;
    expect(await saslauthd.check(username, "wrong-without-address")).toMatch(/^0: NO/);
    const bodies = requestBodies().slice(before);
    expect(bodies).toContainEqual(expect.objectContaining({ password: "wrong-without-address" }));
    expect(bodies.filter((body) => isTree(body) && "client_ip" in body)).toEqual([]);
  });
});

test("Debian's saslauthd has no httpform", async () => {
  expect(await saslauthdMechanisms()).toContain("rimap");
  expect(await saslauthdMechanisms()).not.toContain("httpform");
});

describe("passdb and userdb", () => {
  test("doveadm auth test tells correct from wrong passwords", async () => {
    const right = await dovecot.doveadm("auth", "test", username, password);
    expect(right).toMatchObject({ code: 0, output: expect.stringContaining(`user=${username}`) });
    const wrong = await dovecot.doveadm("auth", "test", username, "wrong");
    expect(wrong).toMatchObject({ code: 77, output: expect.stringContaining("auth failed") });
    expect(wrong.output).not.toContain("code=");
  });

  test("an IMAP login opens the mailbox, and Dovecot sends the user, the method and the client address", async () => {
    await using client = await connectLines(dovecot.imapPort);
    await client.until(/^\* OK/);
    client.send(`a1 LOGIN ${username} ${password}`);
    expect(await client.until(/^a1 /)).toMatch(/^a1 OK .*Logged in/);
    client.send("a2 SELECT INBOX");
    expect(await client.until(/^a2 /)).toMatch(/^a2 OK/);
    expect(requestBodies()).toContainEqual({
      username,
      password,
      protocol: "imap",
      method: "plain",
      client_ip: "127.0.0.1",
      client_port: expect.stringMatching(/^\d+$/),
      local_ip: "127.0.0.1",
      local_port: String(dovecot.imapPort),
      external_session_id: expect.stringMatching(/^\S{16,}$/),
      ssl: "secured",
    });
  });

  test("an IMAP login with a wrong password is AUTHENTICATIONFAILED", async () => {
    expect(await imapLogin(dovecot.imapPort, username, "wrong")).toMatch(/^a1 NO \[AUTHENTICATIONFAILED\]/);
  });

  test.each(["anna+tag@example.test", "o'brien@example.test", "jürgen@example.test"])("%s signs in", async (name) => {
    using _account = copyOfAlice(join(stack.folder, "directory.sqlite"), name);
    const { output, code } = await dovecot.doveadm("auth", "test", name, password);
    expect(output).toContain(`user=${name}`);
    expect(code).toBe(0);
  });

  test("homes come from the backend or from Dovecot, unknown users do not exist, and iteration lists the accounts", async () => {
    const home = async (user: string) => (await dovecot.doveadm("user", "-f", "home", user)).output.trim();
    expect(await home(username)).toBe(`${dovecot.homes}/alice`);
    expect(await home("bob@example.test")).toBe("/srv/homes/of-bob");
    expect(await dovecot.doveadm("user", "unknown@example.test")).toMatchObject({
      code: 67,
      output: expect.stringContaining("doesn't exist"),
    });
    const list = await dovecot.doveadm("user", "*");
    expect(list.output.trim().split("\n").toSorted()).toEqual(
      ["admin", "alice", "bob", "carol", "desk", "secops"].map((name) => `${name}@example.test`),
    );
  });
});

test("OAUTHBEARER by the script alone is not possible: Dovecot requires settings for introspection", async () => {
  const config = (await shipped("dovecot.conf")).replace("plain login", "plain login oauthbearer");
  await using other = await spawnDovecot24(config, script);
  await using client = await connectLines(other.imapPort);
  expect(await client.next()).toMatch(/^\* BYE/);
  expect(await other.log()).toContain("Missing oauth2_introspection_mode setting");
});

describe("without an engine", () => {
  beforeAll(async () => {
    await Promise.all(stack.engines.map((engine) => engine.stop()));
  });

  test("logins, lookups and lists are temporary failures", async () => {
    expect(await imapLogin(dovecot.imapPort, username, password)).toMatch(/^a1 NO \[UNAVAILABLE\]/);
    expect((await dovecot.doveadm("auth", "test", username, password)).output).toContain("code=temp_fail");
    const user = await dovecot.doveadm("user", username);
    expect(user).toMatchObject({ code: 75 });
    expect(user.output).not.toContain("doesn't exist");
    expect((await dovecot.doveadm("user", "*")).code).not.toBe(0);
  });
});
