import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { scratchFolder } from "@postern/testing";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { run } from "../run.ts";
import { runInitCommand } from "./init.ts";
import { quoted } from "./yaml-lines.ts";

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
let sites = 0;

beforeAll(async () => {
  scratch = await scratchFolder();
  writeFileSync(join(scratch.path, "password"), "the-backend-password\n");
});

afterAll(() => scratch[Symbol.asyncDispose]());

const nobody = () => ({ input: new PassThrough(), output: new PassThrough() });

function newFolder(): string {
  sites += 1;
  return join(scratch.path, `site-${sites}`);
}

async function init(folder: string, ...flags: readonly string[]) {
  const result = await runInitCommand(["--dir", folder, "--group", "no-such-group", ...flags], nobody());
  return { ...result, printed: [...result.output, ...result.errors].join("\n") };
}

const passwordFile = (): readonly string[] => ["--backend-password-file", join(scratch.path, "password")];
const ldap = (): readonly string[] => [
  "--backend",
  "ldaps://ldap.example.test",
  "--base-dn",
  "ou=people,dc=example,dc=test",
  "--bind-dn",
  "cn=postern,dc=example,dc=test",
  ...passwordFile(),
];

const siteFlags = (): readonly (readonly string[])[] => [
  ldap(),
  [...ldap(), "--pages", "https://login.example.test", "--proxy", "192.0.2.10"],
  ["--backend", "ldap://ldap.example.test", "--base-dn", "dc=test", "--filter", "(uid=%L{user})", "--account", "uid"],
  ["--backend", "postgresql://postern@db.example.test/mail", ...passwordFile(), "--mail-server", "mx-1.example.test"],
  ["--backend", "mysql://postern@127.0.0.1:3307/mail", ...passwordFile()],
  ["--backend", `sqlite:${scratch.path}/directory.sqlite`, "--pages", "https://login.example.test"],
  [...ldap(), "--mail-server", "mx1=192.0.2.25,2001:db8::/64", "--mail-server", "mx2"],
];

test("with LDAP, users sign in with their address or uid, and comments name the schema for second factors", async () => {
  const folder = newFolder();
  await init(folder, ...ldap());
  const text = readFileSync(join(folder, "config.yaml"), "utf8");
  expect(text).toContain("(|(mail=%L{user})(uid=%L{user}))");
  // Without the marks of the comments, the configuration is valid as well.
  const lines = text.replaceAll(/^( +)# (\w+_(?:field|object_class): postern\w+)$/gmu, "$1$2");
  expect(lines.match(/: postern(?:Account|Totp|Recovery|Passkey|App)\w*$/gmu)).toHaveLength(8);
  writeFileSync(join(folder, "config.yaml"), lines);
  expect(await run(["config", "check", "--strict", "--config", join(folder, "config.yaml")])).toMatchObject({
    exitCode: 0,
  });
});

test("config check finds neither problem nor warning in what init writes, for every kind of backend", async () => {
  for (const flags of siteFlags()) {
    const folder = newFolder();
    expect(await init(folder, ...flags)).toMatchObject({ exitCode: 0, errors: [] });
    const checked = await run(["config", "check", "--strict", "--config", join(folder, "config.yaml")]);
    expect({ flags, ...checked }).toEqual({ flags, exitCode: 0, output: ["the configuration is valid"], errors: [] });
  }
});

const read = (folder: string, name: string): string => readFileSync(join(folder, "secrets", name), "utf8").trim();

test("secrets differ between sites, are printed only on request, and only the owner can read the files", async () => {
  const folders = [newFolder(), newFolder()] as const;
  const first = await init(folders[0], ...ldap());
  const second = await init(folders[1], ...ldap(), "--show-secrets");
  for (const name of readdirSync(join(folders[0], "secrets"))) {
    expect(first.printed).not.toContain(read(folders[0], name));
    expect(statSync(join(folders[0], "secrets", name)).mode & 0o777).toBe(0o600);
    if (name !== "ldap_password") expect(read(folders[0], name)).not.toBe(read(folders[1], name));
  }
  expect(statSync(join(folders[0], "config.yaml")).mode & 0o777).toBe(0o600);
  expect(second.printed).toContain(read(folders[1], "caller_mailserver"));
  expect(second.printed).not.toContain("the-backend-password");
});

test("each mail server is a caller with a password, networks and operations of its own, beside the operator's", async () => {
  const folder = newFolder();
  const result = await init(folder, ...ldap(), "--mail-server", "mx1=192.0.2.25,2001:db8::/64", "--mail-server", "mx2");
  const password = (name: string) => ({ file: join(folder, "secrets", `caller_${name}`) });
  const operations = ["authenticate", "lookup"];
  expect(parse(readFileSync(join(folder, "config.yaml"), "utf8"))).toHaveProperty("auth.backchannel", {
    callers: [
      { name: "mx1", password: password("mx1"), networks: ["192.0.2.25", "2001:db8::/64"], operations },
      { name: "mx2", password: password("mx2"), operations },
      { name: "operator", password: password("operator"), networks: ["127.0.0.1", "::1"] },
    ],
  });
  const passwords = ["mx1", "mx2", "operator"].map((name) => read(folder, `caller_${name}`));
  expect(new Set(passwords).size).toBe(3);
  for (const name of ["mx1", "mx2", "operator"])
    expect(result.printed).toContain(`  ${name}, password in ${password(name).file}`);
});

test("one process needs no NATS, unless others join it", async () => {
  const folder = newFolder();
  const result = await init(folder, ...ldap(), "--shape", "one");
  expect(result.printed).toContain("systemctl enable --now postern.service");
  expect(result.printed).not.toMatch(/nats/iu);
  expect(readdirSync(folder).toSorted()).toEqual(["config.yaml", "secrets"]);
  const text = readFileSync(join(folder, "config.yaml"), "utf8");
  expect(parse(text).runtime.bus).toEqual({ servers: [] });
  expect((await run(["config", "check", "--config", join(folder, "config.yaml")])).exitCode).toBe(0);

  const joined = newFolder();
  await init(joined, ...ldap(), "--shape", "one", "--nats", "nats://127.0.0.1:4222");
  expect(parse(readFileSync(join(joined, "config.yaml"), "utf8")).runtime.bus.servers).toEqual([
    "nats://127.0.0.1:4222",
  ]);
  const wrong = await init(newFolder(), ...ldap(), "--shape", "two");
  expect(wrong).toMatchObject({ exitCode: 1, printed: expect.stringContaining("--shape two is neither one nor five") });
});

test("a second run, and the later of two parallel ones, overwrite nothing", async () => {
  const folder = newFolder();
  const both = await Promise.all([init(folder, ...ldap()), init(folder, ...ldap())]);
  expect(both.map(({ exitCode }) => exitCode).toSorted((a, b) => a - b)).toEqual([0, 1]);
  const before = readFileSync(join(folder, "config.yaml"), "utf8");
  const again = await init(folder, ...ldap());
  expect(again).toMatchObject({ exitCode: 1, output: [] });
  expect(again.printed).toContain("exists and is not overwritten");
  expect(readFileSync(join(folder, "config.yaml"), "utf8")).toBe(before);
  expect(readdirSync(folder).toSorted()).toEqual(["config.yaml", "nats-server.conf", "secrets"]);
});

test("answers that the services could not use leave nothing behind", async () => {
  const folder = newFolder();
  const result = await init(folder, ...ldap(), "--backend-ca", join(scratch.path, "missing.pem"));
  expect(result).toMatchObject({ exitCode: 1, output: [] });
  expect(result.printed).toMatch(/tls_ca_cert: .*missing\.pem/u);
  expect(readdirSync(folder)).toEqual([]);
  const remote = await init(folder, ...ldap(), "--redis", "redis://redis.example.test:6379");
  expect(remote.printed).toMatch(/redis\.example\.test is another machine/u);
  expect(existsSync(join(folder, "config.yaml"))).toBe(false);
});

test.each([
  [[], "--backend is missing"],
  [["--backend", "ldaps://ldap.example.test"], "--base-dn is missing"],
  [["--backend", "oracle://a@b/c"], "is not a URL of LDAP"],
  [["--backend", "mysql://a:secret@b/c"], "--backend contains a password"],
  [["--backend", "sqlite:/a", "--pages", "http://login.example.test"], "is not an https URL"],
  [["--backend", "sqlite:/a", "--mail-server", "../x"], "use lower-case letters"],
  [["--backend", "sqlite:/a", "--mail-server", "mx1=mail.example.test"], "is neither an address nor a network"],
  [["--backend", "sqlite:/a", "--mail-server", "mx1", "--mail-server", "mx1=::1"], "mx1 is given twice"],
  [["--backend", "sqlite:/a", "--mail-server", "operator"], "use another one"],
])("without a terminal, %j is refused with a sentence", async (flags, sentence) => {
  const folder = newFolder();
  const result = await init(folder, ...flags);
  expect(result).toMatchObject({ exitCode: 1, output: [] });
  expect(result.printed).toContain(sentence);
  expect(existsSync(folder)).toBe(false);
});

test("a folder that cannot be written is reported as a sentence", async () => {
  const folder = newFolder();
  writeFileSync(folder, "a file");
  chmodSync(folder, 0o600);
  expect((await init(folder, ...ldap())).exitCode).toBe(1);
});

test("a quoted string is read back as it was, except that a variable is escaped", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(parse(`a: ${quoted(text)}`)).toEqual({ a: text.replaceAll("${", "$${") });
    }),
  );
});
