import { chmod, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Dovecot, freePort, poll, scratchFolder, spawnDovecot } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";

import { askPolicy } from "../../support/auth-policy.ts";
import { connectLines } from "../../support/line-client.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { isTree, merged } from "../../support/stack-config.ts";
import { shipped } from "./dovecot-setting.ts";
import { repository } from "./nginx-setting.ts";

/** A site's own passdb: every user has the same password, and no user can be verified while a file exists. */
const passdb = `
protocols = imap
disable_plaintext_auth = no
auth_mechanisms = plain login cram-md5
passdb {
  driver = lua
  args = file=/etc/dovecot/passdb.lua blocking=no
}
userdb {
  driver = static
  args = allow_all_users=yes
}
mail_location = maildir:~/Maildir
# The tests name the address of the client as a proxy does.
login_trusted_networks = 127.0.0.0/8
`;
const password = "right-password";
const passdbLua = (brokenFile: string) => `
function auth_passdb_lookup(request)
  local broken = io.open("${brokenFile}")
  if broken then
    broken:close()
    return dovecot.auth.PASSDB_RESULT_INTERNAL_FAILURE, "no answer"
  end
  return dovecot.auth.PASSDB_RESULT_OK, "password={PLAIN}${password}"
end`;

let stack: Stack;
let dovecot: Dovecot;
let folder: Awaited<ReturnType<typeof scratchFolder>>;
const brokenFile = (): string => join(folder.path, "broken");

beforeAll(async () => {
  folder = await scratchFolder();
  await chmod(folder.path, 0o755);
  const httpPort = await freePort();
  const tree: unknown = parse(await shipped("auth-policy-postern.yaml"));
  if (!isTree(tree)) throw new Error("deploy/dovecot/auth-policy-postern.yaml contains no object");
  const settings = merged(tree, {
    runtime: { servers: { http: { address: [`127.0.0.1:${httpPort}`] } } },
    auth: { controls: { brute_force: { ip_allowlist: ["192.0.2.250"] } } },
  });
  stack = await startStack({ httpPort, engines: 2, redis: true, settings });
  const config = await shipped("auth-policy.conf");
  dovecot = await spawnDovecot({
    config: `${passdb}\n${config.replace("127.0.0.1:9080", `127.0.0.1:${httpPort}`)}`,
    files: { "/etc/dovecot/passdb.lua": passdbLua(brokenFile()) },
  });
});

afterAll(async () => {
  await dovecot[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** What the reports of this user led to. */
function reportsOf(username: string): readonly string[] {
  const lines = stack.gateway.output().split("\n").slice(0, -1);
  return lines
    .filter((text) => text.includes('"command":"report"'))
    .map((text) => JSON.parse(text))
    .filter((line) => line.username === username)
    .map((line) => line.outcome);
}

/** The answer to a login from this address, which a trusted proxy passes on. */
async function login(user: string, secret: string, from: string): Promise<string> {
  await using client = await connectLines(dovecot.imapPort);
  await client.until(/^\* OK/);
  client.send(`a0 ID ("x-originating-ip" "${from}")`);
  await client.until(/^a0 /);
  client.send(`a1 LOGIN ${user} "${secret}"`);
  return await client.until(/^a1 /);
}

/** Wrong passwords in parallel. */
async function fail(user: string, from: string, times: number): Promise<void> {
  const answers = await Promise.all(Array.from({ length: times }, (_, index) => login(user, `wrong-${index}`, from)));
  for (const answer of answers) expect(answer).toMatch(/^a1 NO \[AUTHENTICATIONFAILED\]/u);
}

/** Dovecot does not wait for the answers to its reports. */
async function untilRejected(user: string, from: string): Promise<string> {
  return await poll("the ban", async () => {
    const answer = await login(user, password, from);
    return answer.startsWith("a1 NO") ? answer : undefined;
  });
}

test.each(["auth-policy.conf", "auth-policy-postern.yaml"])(
  "docs/connect/dovecot-auth-policy.md shows %s",
  async (file) => {
    const page = await readFile(join(repository, "docs/connect/dovecot-auth-policy.md"), "utf8");
    expect(page).toContain(await shipped(file));
  },
);

/** Number of requests about this user that were answered with a delay. */
function delaysOf(username: string): number {
  const lines = stack.gateway.output().split("\n");
  return lines.filter((line) => line.includes('"outcome":"delayed"') && line.includes(`"username":"${username}"`))
    .length;
}

const dovecotAuth = `Basic ${Buffer.from("dovecot:change-this-password").toString("base64")}`;

/** `status` of the decision about this user from an address. */
async function statusFor(login: string, remote: string): Promise<unknown> {
  return (await askPolicy(stack.url, "allow", { login, remote }, dovecotAuth)).status;
}

describe("Dovecot with its own passdb", () => {
  test("accepts a correct password, and reports it", async () => {
    expect(await login("alice", password, "192.0.2.1")).toMatch(/^a1 OK/u);
    expect(await poll("the report", () => reportsOf("alice")[0])).toBe("recorded");
  });

  test("rejects a banned address, even with the correct password, until the ban is removed", async () => {
    const from = "192.0.2.2";
    await fail("bob", from, 10);
    await untilRejected("bob", from);
    expect(await login("alice", password, from)).toMatch(/^a1 NO \[AUTHENTICATIONFAILED\]/u);
    expect(await login("bob", password, "192.0.2.3")).toMatch(/^a1 OK/u);
    expect((await askPolicy(stack.url, "reset", { ip: from }, dovecotAuth)).body).toEqual({ status: "ok" });
    expect(await login("alice", password, from)).toMatch(/^a1 OK/u);
  });

  test("tolerates a program with an outdated password, and an allowed address", async () => {
    await Promise.all(Array.from({ length: 15 }, () => login("carol", "outdated", "192.0.2.4")));
    await fail("carol", "192.0.2.250", 15);
    expect(await login("carol", password, "192.0.2.4")).toMatch(/^a1 OK/u);
    expect(await login("carol", password, "192.0.2.250")).toMatch(/^a1 OK/u);
  });

  test("waits before it asks the passdb while the password of an account is guessed from many networks", async () => {
    const guesses = Array.from({ length: 12 }, (_, index) => login("frank", `guess-${index}`, `198.18.${index}.1`));
    await Promise.all(guesses);
    await poll("the reports", () => reportsOf("frank").length === 12);
    expect(await login("frank", password, "192.0.2.8")).toMatch(/^a1 OK/u);
    await poll("the lines of both requests", () => delaysOf("frank") >= 2);
    // Its own network becomes known, and no other does.
    await poll("the network to be known", async () => (await statusFor("frank", "192.0.2.9")) === 0);
    expect(await statusFor("frank", "198.51.100.1")).toBeGreaterThan(0);
  });

  test("counts mechanisms that send no password", async () => {
    const from = "192.0.2.5";
    const response = Buffer.from(`dave ${"0".repeat(32)}`).toString("base64");
    const guess = async (): Promise<void> => {
      await using client = await connectLines(dovecot.imapPort);
      await client.until(/^\* OK/u);
      client.send(`a0 ID ("x-originating-ip" "${from}")`);
      await client.until(/^a0 /u);
      client.send("a1 AUTHENTICATE CRAM-MD5");
      await client.until(/^\+ /u);
      client.send(response);
      await client.until(/^a1 NO/u);
    };
    await Promise.all(Array.from({ length: 10 }, guess));
    expect(await untilRejected("dave", from)).toContain("AUTHENTICATIONFAILED");
  });

  test("does not cause a ban when correct passwords fail because the passdb does not answer", async () => {
    const from = "192.0.2.6";
    const users = Array.from({ length: 12 }, (_, index) => `user${index}`);
    const logins = () => Promise.all(users.map((user) => login(user, password, from)));
    for (const answer of await logins()) expect(answer).toMatch(/^a1 OK/u);
    await poll("the reports", () => users.every((user) => reportsOf(user).includes("recorded")));
    await writeFile(brokenFile(), "");
    for (const answer of await logins()) expect(answer).toMatch(/^a1 NO \[UNAVAILABLE\]/u);
    await poll("the reports of failures", () => users.every((user) => reportsOf(user).length === 2));
    await rm(brokenFile());
    expect(users.map((user) => reportsOf(user)[1])).toEqual(users.map(() => "repeated"));
    expect(await login("user0", password, from)).toMatch(/^a1 OK/u);
  });
});

test("without an engine or a gateway, Dovecot decides alone", async () => {
  const from = "192.0.2.7";
  await fail("erin", from, 10);
  await untilRejected("erin", from);
  await Promise.all(stack.engines.map((engine) => engine.stop()));
  await poll("the login", async () => (await login("erin", password, from)).startsWith("a1 OK"));
  await stack.gateway.stop();
  expect(await login("erin", password, from)).toMatch(/^a1 OK/u);
  expect(await login("erin", "wrong", from)).toMatch(/^a1 NO/u);
});
