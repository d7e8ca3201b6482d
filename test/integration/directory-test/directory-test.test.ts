import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Slapd, scratchFolder, spawnSlapd } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runDirectoryCommand } from "../../../cli/src/directory/directory-test.ts";
import { seedDatabase } from "../../../services/auth-engine/src/backends/sql/seed.ts";
import { compileCache } from "../../support/service-process.ts";
import { defaultTree, demoBackends, isTree, merged } from "../../support/stack-config.ts";
import { exampleLdif } from "../ldap/example-directory.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

interface Ran {
  readonly code: number;
  readonly output: string;
}

const stack = new AsyncDisposableStack();
let slapd: Slapd;
let configFile: string;
/** The same site with records of domains. */
let domainsFile: string;

beforeAll(async () => {
  const { path: folder } = stack.use(await scratchFolder());
  slapd = stack.use(await spawnSlapd({ ldif: exampleLdif }));
  await seedDatabase({
    file: join(folder, "directory.sqlite"),
    seedFile: join(root, "config/demo-directory.sql"),
    waitMs: 5000,
  });
  const { sql } = demoBackends(folder);
  const [search] = isTree(sql) && Array.isArray(sql["search"]) ? sql["search"] : [];
  const totp_read = "SELECT totp_secret FROM users WHERE username = :account";
  const mfa = { enabled: true, queries: { totp_read } };
  const ldap = {
    default: {
      server_uri: [slapd.uri],
      bind_dn: "cn=reader,dc=example,dc=test",
      bind_pw: "reader-password",
      cb_failure_threshold: 1,
    },
    search: [
      {
        protocol: ["imap"],
        cache_name: "people",
        base_dn: "ou=people,dc=example,dc=test",
        filter: { user: "(&(objectClass=person)(uid=%s))" },
        mapping: { account_field: "uid" },
        attribute: ["mail"],
      },
    ],
  };
  const backends = { order: ["ldap", "sql"], ldap, sql: { ...Object(sql), search: [{ ...Object(search), mfa }] } };
  const places = {
    folder,
    httpPort: 1,
    adminPort: 2,
    idpPort: 3,
    natsUrl: "nats://127.0.0.1:1",
    redisUrl: "redis://127.0.0.1:1/0",
  };
  configFile = join(folder, "config.yaml");
  domainsFile = join(folder, "domains.yaml");
  const [tree, source] = [
    defaultTree(places),
    "SELECT 'example.test' AS name, 'sql' AS backends WHERE :domain LIKE 'example.%'",
  ];
  const domains = { source: { kind: "sql", query: source }, records: [{ name: "off.test", enabled: false }] };
  await writeFile(configFile, JSON.stringify(merged(tree, { auth: { backends } })));
  await writeFile(domainsFile, JSON.stringify(merged(tree, { auth: { backends, domains } })));
});

afterAll(() => stack.disposeAsync());

async function postern(args: readonly string[], password: string, file = configFile): Promise<Ran> {
  const terminal = { input: Readable.from([`${password}\n`]), output: new PassThrough() };
  const result = await runDirectoryCommand(["test", ...args, "--config", file], terminal);
  return { code: result.exitCode, output: [...result.output, ...result.errors].join("\n") };
}

describe("postern directory test", () => {
  test("shows a user of LDAP: the filter as sent, the entry, the attributes, the password", async () => {
    const { code, output } = await postern(["alice"], "alice-password");
    expect(output).toContain(
      "[ldap] search: pool default, scope sub, base ou=people,dc=example,dc=test, filter (&(objectClass=person)(uid=alice))",
    );
    expect(output).toContain("[ldap] entry: uid=alice,ou=people,dc=example,dc=test");
    expect(output).toMatch(/attributes: mail=alice@example\.test \|/);
    expect(output).toContain("password: correct");
    expect([code, output]).toEqual([0, expect.stringContaining("a login would be accepted")]);
    expect(output).not.toContain("alice-password");
    expect(output).not.toContain("reader-password");
  });

  test("runs as a command that reads the password from standard input", async () => {
    const args = ["directory", "test", "alice", "--config", configFile];
    const command = promisify(execFile)(join(root, "bin/postern"), args, { env: { ...process.env, ...compileCache } });
    command.child.stdin?.end("alice-password\n");
    expect((await command).stdout).toContain("a login would be accepted");
  });

  test("queries the backends of the name's domain only", async () => {
    const { code, output } = await postern(["bob@EXAMPLE.test"], "bob-demo-password", domainsFile);
    expect([code, output]).toEqual([0, expect.stringContaining("domain: example.test, by the source; backends: sql")]);
    expect(output).not.toContain("[ldap]");
    for (const [name, said] of [
      ["bob@other.test", "STOP domain: no record"],
      ["bob@off.test", "STOP domain: not enabled"],
      ["bob@example.net", "STOP domain: the source returned the record of another domain"],
    ] as const)
      expect((await postern([name], "bob-demo-password", domainsFile)).output).toContain(said);
  });

  test("stops at a wrong password", async () => {
    const { code, output } = await postern(["alice"], "wrong");
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/STOP \[ldap\] password: wrong password\na login would be denied/),
    ]);
  });

  test("escapes a name with filter syntax and queries the next backend", async () => {
    const { code, output } = await postern(["x)(uid=*"], "x");
    expect(output).toMatch(/filter \(&\(objectClass=person\)\(uid=x\\29\\28uid=\\2a\)\)/i);
    expect(output).toContain("[sql] query: SELECT username AS account");
    expect(code).toBe(1);
  });

  test("shows a user of SQL, with second factors, as JSON", async () => {
    const { code, output } = await postern(["bob@example.test", "--json"], "bob-demo-password");
    const report: unknown = JSON.parse(output);
    expect(report).toMatchObject({ username: "bob@example.test", protocol: "imap", verdict: "accepted" });
    expect(report).toMatchObject({
      steps: expect.arrayContaining([
        { directory: "ldap", step: "account", outcome: "note", detail: "unknown user" },
        {
          directory: "sql",
          step: "second factors",
          outcome: "ok",
          detail: "TOTP yes, recovery codes 0, WebAuthn 0, app passwords 0",
        },
      ]),
    });
    expect(output).not.toContain("JBSWY3DPEHPK3PXP");
    expect(code).toBe(0);
  });

  test("recognizes an app password by its form and shows its protocols", async () => {
    const user = ["carol@example.test", "--protocol"];
    const password = "app-careed-emeapp-asswer-dferca-reprgj";
    expect((await postern([...user, "smtp"], password)).output).toContain("app password: demo phone, for imap, smtp");
    expect((await postern([...user, "pop3"], password)).code).toBe(1);
  });

  test("asks for no password with --no-password, and ends with 2 for a wrong command line", async () => {
    expect((await postern(["alice", "--no-password"], "")).code).toBe(0);
    expect((await postern(["alice", "--password", "x"], "")).code).toBe(2);
    expect((await postern([], "")).code).toBe(2);
  });

  test("ignores a denial by the next backend if a backend is unavailable", async () => {
    await slapd.kill();
    const { code, output } = await postern(["nobody"], "x");
    expect(output).toMatch(/STOP \[ldap\] failure: DIRECTORY_UNAVAILABLE/);
    expect([code, output]).toEqual([1, expect.stringContaining("a login would end in a temporary failure")]);
    expect((await postern(["bob@example.test"], "bob-demo-password")).code).toBe(0);
  });
});
