import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "@postern/shared/platform/config";
import { scratchFolder } from "@postern/testing";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { runImportCommand } from "./import.ts";
import { importConfiguration } from "./import-configuration.ts";

let scratch: Awaited<ReturnType<typeof scratchFolder>>;
let count = 0;

beforeAll(async () => {
  scratch = await scratchFolder();
});

afterAll(() => scratch[Symbol.asyncDispose]());

const old = `
x-pool: &pool { lookup_pool_size: 4, auth_pool_size: 4, lookup_queue_length: 0 }
developer_mode: false
includes: { required: [other.yaml] }
runtime:
  process: { run_as_user: mail }
  timeouts: { redis_read: 2, ldap_search: 3s }
  services: { caller_assertion: { secret: "\${ASSERTION}" } }
  servers: { http: { disabled_endpoints: { auth_nginx: true }, http3: true } }
storage:
  redis:
    prefix: "nt:"
    password_nonce: the-nonce-of-the-old-site
    encryption_secret: the-encryption-secret-of-the-old-site
    dial_timeout: 5s
    positive_cache_ttl: "3600"
auth:
  backchannel: { basic_auth: { enabled: true, username: dovecot, password: the-password-of-dovecot } }
  backends:
    order: [cache, "remote(far-away)", ldap, "remote(other)", "plugin(p)", test]
    remote: { far-away: { authority: a } }
    lua: { backend: { default: { queue_length: 0 } } }
    ldap:
      default: { <<: *pool, server_uri: ["ldaps://ldap.example.test"], bind_dn: cn=a, bind_pw: the-password-of-the-directory, number_of_workers: 10 }
      search:
        - { protocol: [imap], cache_name: m, base_dn: o=x, filter: { user: "(mail=%L{user})" }, mapping: { account_field: mail } }
identity:
  saml: { key_file: /etc/old/saml.pem }
  oidc:
    enabled: false
    clients: [{ client_id: webmail, client_secret: the-secret-of-webmail, redirect_uris: ["https://w.example.test/c"], unheard_of: 1 }]
`;

const secretsOfOld = ["the-nonce", "the-encryption", "the-password-of", "the-secret-of"];

function newFolder(): string {
  count += 1;
  return join(scratch.path, `imported-${count}`);
}

async function importText(text: string, folder = newFolder()) {
  const file = join(scratch.path, "old.yaml");
  writeFileSync(file, text);
  const result = await runImportCommand([file, "--output", folder, "--group", "no-such-group"]);
  return { ...result, folder, printed: [...result.output, ...result.errors].join("\n") };
}

const readSecret = (path: string): string => (path === "/etc/old/saml.pem" ? "key" : readFileSync(path, "utf8"));

test("a configuration of Nauthilus becomes one that loads, with its secrets in files of their own", async () => {
  const { exitCode, folder, printed } = await importText(old);
  expect(printed).not.toContain("to correct");
  expect(exitCode).toBe(0);
  const config = join(folder, "config.yaml");
  const text = readFileSync(config, "utf8");
  for (const secret of secretsOfOld) expect(printed + text).not.toContain(secret);
  expect(text).toMatch(/secret: \$\{ASSERTION\}/u);
  expect(statSync(config).mode & 0o777).toBe(0o600);
  for (const name of readdirSync(join(folder, "secrets")))
    expect(statSync(join(folder, "secrets", name)).mode & 0o777).toBe(0o600);
  const env = { ASSERTION: "a-secret-of-the-services-behind-the-gateway" };
  const loaded = loadConfig({ file: config, env, readFile: readSecret });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  expect(loaded.config.auth.backchannel.basic_auth.password).toBe("the-password-of-dovecot");
  expect(loaded.config.identity.oidc.clients[0]?.client_secret).toBe("the-secret-of-webmail");
  expect(loaded.config.identity.saml.key).toBe("key");
  expect(loaded.config.auth.backends.order).toEqual(["cache", "ldap"]);
  expect(loaded.config.runtime.timeouts.redis_read).toBe(2000);
  expect(loaded.config.storage.redis.positive_cache_ttl).toBe(3_600_000);
  expect(loaded.config.runtime.servers.http.disabled_endpoints.auth_proxy).toBe(true);
});

test.each([
  ["left out", "includes: the files are not read"],
  ["left out", "runtime.process: has no effect here"],
  ["left out", "runtime.servers.http.http3: has no effect here"],
  ["left out", "auth.backends.order[1]: backend remote far-away has no counterpart"],
  ["left out", "auth.backends.order[3]: backend remote other has no counterpart"],
  ["left out", "auth.backends.order[4]: backend plugin p has no counterpart"],
  ["left out", "auth.backends.order[5]: backend test has no counterpart"],
  ["left out", "auth.backends.remote: has no effect here"],
  ["left out", "identity.oidc.clients[0].unheard_of: is not a known key"],
  ["kept, with a different meaning", "runtime.timeouts.redis_read: had no unit"],
  ["kept, with a different meaning", "storage.redis.positive_cache_ttl: had no unit"],
  ["kept, with a different meaning", "auth.backends.ldap.default.lookup_queue_length: 0 was unlimited"],
  ["kept, with a different meaning", "auth.backends.lua.backend.default.queue_length: 0 was unlimited"],
  ["kept, with a different meaning", "storage.redis.prefix: records of the other product are not read"],
  ["under another name", "developer_mode: runtime.developer_mode"],
  ["under another name", "identity.saml.key_file: key: { file: … }"],
  ["under another name", "storage.redis.dial_timeout: storage.redis.connect_timeout"],
])("%s: %s", (heading, line) => {
  const { notes } = importConfiguration(old, { name: "old.yaml", folder: "/x" });
  const kind = { "left out": "absent", "kept, with a different meaning": "changed", "under another name": "renamed" }[
    heading
  ];
  const lines = notes.filter((note) => note.kind === kind).map(({ path, text }) => `${path}: ${text}`);
  expect(lines.filter((one) => one.startsWith(line))).toHaveLength(1);
});

test("what does not load is listed, and the exit code is 1", async () => {
  const { exitCode, printed } = await importText("auth: { pipeline: { max_login_attempts: many } }");
  expect(exitCode).toBe(1);
  expect(printed).toContain("to correct before the first start:");
  expect(printed).toContain("auth.pipeline.max_login_attempts: must be a whole number");
});

test("a file that is not YAML is refused without a quotation, and nothing is written", async () => {
  const { exitCode, printed, folder } = await importText("password: *hunter2");
  expect(exitCode).toBe(1);
  expect(printed).toContain("is not valid YAML");
  expect(printed).not.toContain("hunter2");
  expect(existsSync(folder)).toBe(false);
});

test("nothing that exists is overwritten", async () => {
  const { folder } = await importText(old);
  const before = readFileSync(join(folder, "config.yaml"), "utf8");
  const again = await importText("{}", folder);
  expect(again.exitCode).toBe(1);
  expect(again.printed).toContain("exists and is not overwritten");
  expect(readFileSync(join(folder, "config.yaml"), "utf8")).toBe(before);
});

test.each([[[]], [["a", "b"]], [["a", "--unknown"]]])("the command line %j is refused", async (args) => {
  expect((await runImportCommand(args)).exitCode).toBe(2);
});

test("a file that cannot be read is reported as a sentence", async () => {
  const result = await runImportCommand([join(scratch.path, "missing.yaml")]);
  expect(result).toMatchObject({ exitCode: 1, output: [] });
});

const secret = "5ecret-of-the-property-test";

/** Trees with names of the schema, where a reader is most likely to make assumptions. */
const names = fc.constantFrom(
  "runtime",
  "storage",
  "redis",
  "auth",
  "backends",
  "order",
  "ldap",
  "pools",
  "search",
  "identity",
  "saml",
  "key",
  "key_file",
  "backchannel",
  "basic_auth",
  "password",
  "oidc",
  "clients",
  "client_secret",
  "timeouts",
  "redis_read",
  "developer_mode",
  "x-a",
  "__proto__",
  "constructor",
  "includes",
  "toString",
  "encryption_secret",
  "policies",
  "lua",
  "hooks",
  "a b",
  "",
  "0",
);
const trees = fc.letrec((tie) => ({
  tree: fc.oneof(
    { depthSize: "medium" },
    fc.constantFrom(
      null,
      true,
      0,
      -1,
      1.5,
      Number.NaN,
      "",
      "5",
      "3s",
      ["$", "{A}"].join(""),
      secret,
      "\u0000",
      "remote(x)",
      "- a: [",
      "&a *a",
    ),
    fc.string(),
    fc.array(tie("tree"), { maxLength: 3 }),
    fc.dictionary(names, tie("tree"), { maxKeys: 5 }),
  ),
})).tree;

test("any YAML is converted without an exception, the result is YAML, and no secret of a known key is in it or in the notes", () => {
  fc.assert(
    fc.property(trees, (tree) => {
      const text = stringify({ ...Object(tree), auth: { backchannel: { basic_auth: { password: secret } } } });
      const { site, notes } = importConfiguration(text, { name: "old.yaml", folder: "/x" });
      const written: unknown = parse(site.text);
      expect(Reflect.get(Object(written), "auth")).toEqual({
        backchannel: { basic_auth: { password: { file: expect.stringContaining("/x/secrets/") } } },
      });
      expect(JSON.stringify(notes)).not.toContain(secret);
      expect(() => loadConfig({ text: site.text, env: {}, readFile: () => "x" })).not.toThrow();
    }),
  );
});

test("any text is converted without an exception", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary" }),
        trees.map((tree) => stringify(tree) ?? ""),
      ),
      (text) => {
        const { site, unreadable } = importConfiguration(text, { name: "old.yaml", folder: "/x" });
        for (const { reason } of unreadable) expect(reason).not.toBe("");
        expect(() => parse(site.text)).not.toThrow();
      },
    ),
  );
});
