import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Dovecot, scratchFolder, spawnDovecot } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dovecotCheck } from "../../../cli/src/doctor/check-dovecot.ts";
import { copyOfAlice } from "../../support/accounts-database.ts";
import { alice } from "../../support/ask-json.ts";
import { connectLines } from "../../support/line-client.ts";
import { type DovecotSetting, shipped, startDovecotSetting } from "./dovecot-setting.ts";
import { repository } from "./nginx-setting.ts";

let setting: DovecotSetting;

beforeAll(async () => {
  setting = await startDovecotSetting();
});

afterAll(() => setting[Symbol.asyncDispose]());

const { username, password } = alice;

/** Exit codes of doveadm, from sysexits.h; `auth test` has one for every failure. */
const noPermission = 77;
const noUser = 67;
const tryAgain = 75;

/** The bodies of Dovecot's requests so far. */
function requestBodies(): readonly unknown[] {
  const sent = setting.recorder.sent.map((bytes) => Buffer.from(bytes, "latin1").toString("utf8"));
  const requests = sent.flatMap((text) => text.split(/(?=POST )/));
  return requests.map((request) => JSON.parse(request.slice(request.indexOf("\r\n\r\n") + 4)));
}

async function imapLogin(user: string, secret: string): Promise<string> {
  await using client = await connectLines(setting.dovecot.imapPort);
  await client.until(/^\* OK/);
  client.send(`a1 LOGIN ${user} "${secret}"`);
  return await client.until(/^a1 /);
}

test.each(["dovecot.conf", "postern.lua", "postern.yaml"])("docs/connect/dovecot.md shows %s", async (file) => {
  const page = await readFile(join(repository, "docs/connect/dovecot.md"), "utf8");
  expect(page).toContain(await shipped(file));
});

test("docs/start/existing-site.md shows shadow.conf", async () => {
  const page = await readFile(join(repository, "docs/start/existing-site.md"), "utf8");
  expect(page.replaceAll(/^ {3}/gmu, "")).toContain(await shipped("shadow.conf"));
});

describe("passdb", () => {
  test("doveadm auth test accepts the correct password", async () => {
    const { code, output } = await setting.dovecot.doveadm("auth", "test", username, password);
    expect(output).toContain("auth succeeded");
    expect(output).toContain(`user=${username}`);
    expect(code).toBe(0);
  });

  test("doveadm auth test rejects a wrong password", async () => {
    const { code, output } = await setting.dovecot.doveadm("auth", "test", username, "wrong");
    expect(output).toContain("auth failed");
    expect(output).not.toContain("code=");
    expect(code).toBe(noPermission);
  });

  test("an IMAP login opens the mailbox", async () => {
    await using client = await connectLines(setting.dovecot.imapPort);
    await client.until(/^\* OK/);
    client.send(`a1 LOGIN ${username} ${password}`);
    expect(await client.until(/^a1 /)).toMatch(/^a1 OK .*Logged in/);
    client.send("a2 SELECT INBOX");
    expect(await client.until(/^a2 /)).toMatch(/^a2 OK/);
  });

  test("Dovecot sends the user, the method and the client address", async () => {
    expect(await imapLogin("nobody@example.test", 'a "b" 100% wröng'.replaceAll('"', '\\"'))).toContain("NO");
    expect(requestBodies()).toContainEqual({
      username: "nobody@example.test",
      password: 'a "b" 100% wröng',
      protocol: "imap",
      method: "plain",
      client_ip: "127.0.0.1",
      client_port: expect.stringMatching(/^\d+$/),
      local_ip: "127.0.0.1",
      local_port: String(setting.dovecot.imapPort),
      external_session_id: expect.stringMatching(/^\S{16,}$/),
      ssl: "secured",
    });
  });

  test("an IMAP login with a wrong password is AUTHENTICATIONFAILED", async () => {
    expect(await imapLogin(username, "wrong")).toMatch(/^a1 NO \[AUTHENTICATIONFAILED\]/);
  });
});

test.each(["anna+tag@example.test", "o'brien@example.test", "jürgen@example.test", "name with space@example.test"])(
  "%s signs in: Postern decides which names exist, not Dovecot's list of characters",
  async (name) => {
    using _account = copyOfAlice(join(setting.stack.folder, "directory.sqlite"), name);
    const { output, code } = await setting.dovecot.doveadm("auth", "test", name, password);
    expect(output).toContain(`user=${name}`);
    expect(code).toBe(0);
    // A literal, because a quoted string of IMAP has no octets above 127.
    await using client = await connectLines(setting.dovecot.imapPort);
    await client.until(/^\* OK/);
    client.send(`a1 LOGIN {${Buffer.byteLength(name)}+}\r\n${name} "${password}"`);
    expect(await client.until(/^a1 /)).toMatch(/^a1 OK .*Logged in/);
  },
);

test("postern doctor finds no problem in the shipped configuration, and a passdb that bypasses Postern", async () => {
  await using folder = await scratchFolder();
  const found = async (config: string) => {
    const file = join(folder.path, "dovecot.conf");
    await writeFile(file, config);
    await writeFile(file, await setting.dovecot.doveconf(file));
    return await dovecotCheck({ file }, 10_000).run();
  };
  const config = await shipped("dovecot.conf");
  expect(await found(config)).toEqual([]);
  expect(await found(`passdb {\n  driver = pam\n}\n${config}`)).toEqual([
    expect.objectContaining({ severity: "problem", found: expect.stringContaining("passdb pam") }),
  ]);
});

describe("userdb", () => {
  test("a user without a home in the backend has Dovecot's default", async () => {
    const { code, output } = await setting.dovecot.doveadm("user", "-f", "home", username);
    expect(output.trim()).toBe(join(setting.dovecot.homes, "alice"));
    expect(code).toBe(0);
  });

  test("a home in the backend is the user's home in Dovecot", async () => {
    const { output } = await setting.dovecot.doveadm("user", "-f", "home", "bob@example.test");
    expect(output.trim()).toBe(join(setting.dovecot.homes, "of-bob"));
  });

  test("an unknown user does not exist", async () => {
    const { code, output } = await setting.dovecot.doveadm("user", "nobody@example.test");
    expect(output).toContain("nobody@example.test doesn't exist");
    expect(code).toBe(noUser);
  });

  test("iteration lists the accounts", async () => {
    const { code, output } = await setting.dovecot.doveadm("user", "*");
    const names = ["admin", "alice", "bob", "carol", "desk", "secops"].map((name) => `${name}@example.test`);
    expect(output.trim().split("\n").toSorted()).toEqual(names);
    expect(code).toBe(0);
  });
});

function whileUndecidable(): void {
  test("an IMAP login is UNAVAILABLE, not rejected", async () => {
    expect(await imapLogin(username, password)).toMatch(/^a1 NO \[UNAVAILABLE\]/);
  });

  test("doveadm auth test reports a temporary failure", async () => {
    const { code, output } = await setting.dovecot.doveadm("auth", "test", username, password);
    expect(output).toContain("code=temp_fail");
    expect(code).toBe(noPermission);
  });

  test("a user is not reported as unknown, and no empty list is returned", async () => {
    const user = await setting.dovecot.doveadm("user", username);
    expect(user.output).not.toContain("doesn't exist");
    expect(user.code).toBe(tryAgain);
    const list = await setting.dovecot.doveadm("user", "*");
    expect(list.output).toContain("failed");
    expect(list.code).not.toBe(0);
  });
}

describe("shadow.conf in front of the site's own passdb", () => {
  let shadow: Dovecot;

  beforeAll(async () => {
    const lua = (await shipped("postern.lua")).replace("127.0.0.1:9080", `127.0.0.1:${setting.recorder.port}`);
    const own =
      "passdb {\n  driver = passwd-file\n  args = /etc/dovecot/users\n}\nuserdb {\n  driver = static\n  args = allow_all_users=yes\n}\n";
    const config = `protocols = imap\nauth_mechanisms = plain login\nmail_location = maildir:~/Maildir\n${await shipped("shadow.conf")}${own}`;
    const users = `${username}:{PLAIN}of the site\nonly-there@example.test:{PLAIN}of the site\nbob@example.test:{PLAIN}bob-demo-password\n`;
    shadow = await spawnDovecot({ config, files: { "/etc/dovecot/postern.lua": lua, "/etc/dovecot/users": users } });
  });

  afterAll(() => shadow[Symbol.asyncDispose]());

  const codeOf = async (user: string, secret: string) => (await shadow.doveadm("auth", "test", user, secret)).code;

  test("the site's passdb decides, whatever Postern answers, and Dovecot queries Postern each time", async () => {
    const before = requestBodies().length;
    expect(await codeOf(username, "of the site")).toBe(0);
    expect(await codeOf("only-there@example.test", "of the site")).toBe(0);
    expect(await codeOf("bob@example.test", "bob-demo-password")).toBe(0);
    expect(await codeOf(username, password)).toBe(noPermission);
    expect(await codeOf(username, "wrong")).toBe(noPermission);
    expect(requestBodies().length).toBe(before + 5);
  });
});

describe("without an engine", () => {
  beforeAll(async () => {
    await Promise.all(setting.stack.engines.map((engine) => engine.stop()));
  });
  whileUndecidable();
});

describe("without a gateway", () => {
  beforeAll(() => setting.stack.gateway.stop());
  whileUndecidable();
});
