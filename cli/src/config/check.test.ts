import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeCertificate } from "../../../test/support/certificates.ts";
import { run } from "../run.ts";

let folder: Awaited<ReturnType<typeof scratchFolder>>;
const at = (name: string): string => join(folder.path, name);

beforeAll(async () => {
  folder = await scratchFolder();
  for (const name of ["one", "two"]) await makeCertificate(folder.path, name, "/CN=a");
  const files = {
    "text.pem": "not a certificate",
    "picture.gif": "GIF89a",
    "broken.lua": "function hook(",
    "no-entry.lua": "local x = 1",
    "good.lua": "function environment() end function hook() end",
    "broken.sql": "CREATE TABEL users;",
    "list.yaml": "- a\n- b\n",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(at(name), text);
  for (const name of ["unclosed", "unknown"]) mkdirSync(at(name));
  writeFileSync(at("unclosed/login.mustache"), "{{#brand}} {{name");
  writeFileSync(at("unknown/logon.mustache"), "x");
});

afterAll(() => folder[Symbol.asyncDispose]());

async function check(tree: object, ...flags: readonly string[]) {
  const file = at("checked.yaml");
  writeFileSync(file, JSON.stringify(tree));
  return run(["config", "check", "--config", file, ...flags]);
}

const backends = (of: object) => ({ auth: { backends: of } });

const ldap = (entry: object, pool: object = {}) => {
  const search = {
    protocol: ["imap"],
    cache_name: "a",
    base_dn: "dc=test",
    mapping: { account_field: "uid" },
    filter: { user: "(uid=%s)" },
    ...entry,
  };
  return backends({
    order: ["ldap"],
    ldap: { default: { server_uri: ["ldap://127.0.0.1"], ...pool }, search: [search] },
  });
};

const sql = (queries: object, more: object = {}, pool: object = {}) => {
  const search = {
    protocol: ["*"],
    cache_name: "a",
    mapping: { account_field: "account" },
    queries: { user: "SELECT * FROM users WHERE account = :username", ...queries },
    ...more,
  };
  return backends({ order: ["sql"], sql: { default: { file: at("users.sqlite"), ...pool }, search: [search] } });
};

const issuer = "https://login.example.test";

const identity = (more: object, frontend: object = {}) => ({
  storage: { redis: { encryption_secret: "a-secret-of-sixteen-characters" } },
  identity: { frontend: { enabled: true, ...frontend }, oidc: { issuer }, ...more },
});

const saml = (provider: object) => {
  const complete = { entity_id: "sp", acs_url: "https://sp.example.test/acs", ...provider };
  return identity({ saml: { enabled: true, entity_id: issuer, service_providers: [complete] } });
};

const lua = (more: object) => ({ auth: { controls: { enabled: ["lua"], lua: more } } });
const http = (tls: object) => ({ runtime: { servers: { http: { tls: { enabled: true, ...tls } } } } });
const catalogue = (file: string) => ({ auth: { policy: { localization: { catalogs: [{ language: "de", file }] } } } });
const bus = (of: object) => ({ runtime: { bus: of } });
const twoFactors = { mfa: { enabled: true, queries: { totp_read: "SELECT 1" } } };
const groups = { groups: { strategy: "search", base_dn: "o", filter: "(cn=*)" } };
const client = (more: object) => {
  const complete = {
    client_id: "app",
    redirect_uris: ["https://app.example.test/callback"],
    scopes: ["openid"],
    ...more,
  };
  return { oidc: { enabled: true, issuer, clients: [complete] } };
};
const keys = () => ({ oidc: { enabled: true, issuer, signing_keys: [{ id: "a", key_file: at("no.key") }] } });
const script = (script_path: string) => ({ name: script_path, script_path });

const search = "auth.backends.ldap.search[0]";
const query = "auth.backends.sql.search[0]";
const pool = "auth.backends.ldap.default";
const frontend = "identity.frontend";
const certificate = "runtime.servers.http.tls.cert";
const seed = "auth.backends.sql.default.seed_file";

/** Faults that prevent a service's start, the key that is reported, and a part of the reason. */
const breaches: readonly (readonly [what: string, tree: () => object, key: string, reason: RegExp])[] = [
  ["an unclosed LDAP filter", () => ldap({ filter: { user: "(uid=%s" } }), `${search}.filter.user`, /expected "\)"/],
  [
    "a user filter without a name",
    () => ldap({ filter: { user: "(mail=*)" } }),
    `${search}.filter.user`,
    /regardless of the user name/,
  ],
  ["an unknown macro", () => ldap({ base_dn: "dc=%{nobody}" }), `${search}.base_dn`, /unknown macro/],
  [
    "a broken list filter",
    () => ldap({ filter: { user: "(uid=%s)", list_accounts: "(" } }),
    `${search}.filter.list_accounts`,
    /filter/,
  ],
  [
    "a broken filter for disabled accounts",
    () => ldap({ filter: { user: "(uid=%s)", disabled: "x" } }),
    `${search}.filter.disabled`,
    /filter/,
  ],
  ["a group filter without a user", () => ldap(groups), `${search}.groups.filter`, /same groups/],
  ["a wildcard attribute", () => ldap({ attribute: ["*"] }), `${search}.attribute`, /wildcard/],
  ["no LDAP port", () => ldap({}, { server_uri: ["ldap://h:0"] }), `${pool}.server_uri[0]`, /port/],
  [
    "a missing LDAP CA file",
    () => ldap({}, { server_uri: ["ldaps://h"], tls_ca_cert: at("no.pem") }),
    `${pool}.tls_ca_cert`,
    /ENOENT/,
  ],
  [
    "a user query without a user name",
    () => sql({ user: "SELECT * FROM users" }),
    `${query}.queries.user`,
    /:username or :localpart/,
  ],
  [
    "an unknown parameter",
    () => sql({ list_accounts: "SELECT :nobody" }),
    `${query}.queries.list_accounts`,
    /unknown parameter :nobody/,
  ],
  [
    "a query for second factors without an account",
    () => sql({}, twoFactors),
    `${query}.mfa.queries.totp_read`,
    /:account/,
  ],
  ["a missing seed", () => sql({}, {}, { seed_file: at("no.sql") }), seed, /seed file .* cannot be read/],
  [
    "a seed that does not run",
    () => sql({}, {}, { seed_file: at("broken.sql") }),
    seed,
    /statement of the seed file failed.*TABEL/,
  ],
  [
    "a missing logo",
    () => identity({}, { branding: { logo_file: at("no.svg") } }),
    `${frontend}.branding.logo_file`,
    /ENOENT/,
  ],
  [
    "a logo of an unsupported type",
    () => identity({}, { branding: { logo_file: at("picture.gif") } }),
    `${frontend}.branding.logo_file`,
    /unsupported file type/,
  ],
  [
    "a missing folder of templates",
    () => identity({}, { templates_folder: at("none") }),
    `${frontend}.templates_folder`,
    /ENOENT/,
  ],
  [
    "an unclosed Mustache tag",
    () => identity({}, { templates_folder: at("unclosed") }),
    `${frontend}.templates_folder`,
    /login\.mustache.*Unclosed tag/,
  ],
  [
    "an unknown template",
    () => identity({}, { templates_folder: at("unknown") }),
    `${frontend}.templates_folder`,
    /no page named logon/,
  ],
  ["a missing signing key", () => identity(keys()), "identity.oidc.signing_keys[0].key_file", /cannot be read/],
  [
    "an invalid redirect URI of an OIDC client",
    () => identity(client({ redirect_uris: ["callback"] })),
    "identity.oidc.clients[0]",
    /redirect_uris must only contain/,
  ],
  [
    "an invalid redirect URI after a logout of an OIDC client",
    () => identity(client({ post_logout_redirect_uris: ["bye"] })),
    "identity.oidc.clients[0]",
    /post_logout_redirect_uris must only contain/,
  ],
  [
    "a service provider's missing certificate",
    () => saml({ cert_file: at("no.pem") }),
    "identity.saml.service_providers[0].cert_file",
    /cannot be read/,
  ],
  [
    "a script that does not compile",
    () => lua({ hooks: [{ http_location: "a", script_path: at("broken.lua") }] }),
    "auth.controls.lua.hooks[0].script_path",
    /broken\.lua:1/,
  ],
  [
    "a missing script next to a valid one",
    () => lua({ environment: [script(at("good.lua")), script(at("no.lua"))] }),
    "auth.controls.lua.environment[1].script_path",
    /cannot be read/,
  ],
  [
    "a script without its function",
    () => lua({ subject: [script(at("no-entry.lua"))] }),
    "auth.controls.lua.subject[0].script_path",
    /subject/,
  ],
  [
    "a message catalog that is not a mapping",
    () => catalogue(at("list.yaml")),
    "auth.policy.localization.catalogs[0].file",
    /mapping of keys to strings/,
  ],
  ["a missing certificate", () => http({ cert: at("no.pem"), key: at("one.key") }), certificate, /ENOENT/],
  ["a certificate of another key", () => http({ cert: at("one.crt"), key: at("two.key") }), certificate, /key/],
  [
    "an invalid CA file",
    () => bus({ tls: { enabled: true, ca_file: at("text.pem") } }),
    "runtime.bus.tls.ca_file",
    /no PEM certificate/,
  ],
  [
    "a missing NATS credentials file",
    () => bus({ credentials_file: at("no.creds") }),
    "runtime.bus.credentials_file",
    /ENOENT/,
  ],
];

describe("check rejects what a service could not use, with the key", () => {
  test.each(breaches)("%s", async (_what, tree, key, reason) => {
    const { exitCode, errors } = await check(tree());
    const line = errors.find((text) => text.startsWith(`${key}: `));
    expect({ line, errors }).toMatchObject({ line: expect.stringMatching(reason) });
    expect(exitCode).toBe(1);
  });
});

test("check opens no files if requested, and no keys if secrets are not read", async () => {
  const missing = http({ cert: at("no.pem"), key: at("no.key") });
  expect((await check(missing)).exitCode).toBe(1);
  expect((await check(missing, "--no-secrets")).exitCode).toBe(0);
  expect((await check(ldap({ filter: { user: "(mail=*)" } }), "--no-secrets")).exitCode).toBe(1);
  expect((await check(missing, "--no-files")).exitCode).toBe(0);
});

test("missing metadata is a warning, because it is read again periodically", async () => {
  const { exitCode, errors } = await check(saml({ metadata: { file: at("later.xml"), allow_unsigned: true } }));
  expect({ exitCode, errors }).toMatchObject({ exitCode: 0 });
  expect(errors.join("\n")).toMatch(/^warning: identity\.saml\.service_providers\[0\]\.metadata\.file: .*ENOENT/m);
});

test("warnings end with 1 only with --strict", async () => {
  const warned = { runtime: { developer_mode: true } };
  expect((await check(warned)).exitCode).toBe(0);
  expect((await check(warned, "--strict")).exitCode).toBe(1);
});

test("check reports that no file was given, and reports a missing file in one line", async () => {
  expect(await run(["config", "check"])).toMatchObject({
    exitCode: 2,
    errors: [expect.stringContaining("no configuration file"), expect.stringContaining("usage:")],
  });
  expect(await run(["config", "check", "--config", at("no.yaml")])).toEqual({
    exitCode: 1,
    output: [],
    errors: ["configuration problems:", `${at("no.yaml")}: cannot be read; check the path and the permissions`],
  });
});
