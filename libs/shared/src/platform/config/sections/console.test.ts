import { expect, test } from "vitest";
import { loadConfig } from "../load.ts";

interface ConsoleSettings {
  readonly url?: string;
  readonly clientId?: string;
  readonly secret?: string;
  readonly roles?: string;
}

const own = (path: string): boolean => path.startsWith("runtime.console");

function judged({
  url = "https://console.example.test",
  clientId = "desk",
  secret = "a-secret",
  roles = "admin: [wheel]",
}: ConsoleSettings) {
  const client = `{ client_id: desk, client_secret: '${secret}', redirect_uris: ['https://console.example.test/console/callback'] }`;
  const text = `
runtime: { servers: { http: { console_address: ['127.0.0.1:9081'] } }, console: { url: '${url}', client_id: '${clientId}', roles: { ${roles} } } }
storage: { redis: { encryption_secret: a-secret-of-the-test } }
identity: { frontend: { enabled: true }, oidc: { enabled: true, issuer: 'https://id.example.test', clients: [${client}] } }`;
  const result = loadConfig({ text, env: {}, readFile: () => "" });
  const problems = result.ok ? [] : result.problems.map(({ path }) => path);
  return { problems: problems.filter(own), warnings: result.warnings.map(({ path }) => path).filter(own) };
}

test("a console with an origin, a client with a secret and a role is accepted", () => {
  expect(judged({})).toEqual({ problems: [], warnings: [] });
  expect(judged({ url: "http://127.0.0.1:9081" }).problems).toEqual([]);
});

test.each<[why: string, settings: ConsoleSettings, path: string]>([
  ["no origin", { url: "" }, "runtime.console.url"],
  ["a path", { url: "https://console.example.test/desk" }, "runtime.console.url"],
  ["http on another machine", { url: "http://console.example.test" }, "runtime.console.url"],
  ["no client", { clientId: "" }, "runtime.console.client_id"],
  ["an unknown client", { clientId: "other" }, "runtime.console.client_id"],
  ["a public client", { secret: "" }, "runtime.console.client_id"],
])("a console with %s is a problem", (_why, settings, path) => {
  expect(judged(settings).problems).toEqual([path]);
});

test("a console without operators is worth a warning", () => {
  expect(judged({ roles: "" }).warnings).toEqual(["runtime.console.roles"]);
});

test("without a listener the keys of the console are not checked", () => {
  const text = "runtime: { console: { url: 'http://console.example.test', client_id: other } }";
  expect(loadConfig({ text, env: {}, readFile: () => "" }).ok).toBe(true);
});

const search = (protocol: string, field: string, pool = "default") =>
  `{ protocol: [${protocol}], cache_name: mail, pool_name: ${pool}, base_dn: dc=test, filter: { user: x }, mapping: { account_field: ${field} }, queries: { user: x } }`;

const withoutKeys = (text: string, ...keys: readonly RegExp[]) =>
  keys.reduce((left, key) => left.replace(key, ""), text);

/** The paths at which searches for users contradict the console. */
function fieldProblems(
  backends: { readonly order: string; readonly ldap?: readonly string[]; readonly sql?: readonly string[] },
  options: { readonly saml?: boolean; readonly console?: boolean } = {},
) {
  const { order, ldap = [], sql = [] } = backends;
  const ldapSearches = ldap.map((text) => withoutKeys(text, /, queries: \{[^}]*\}/));
  const sqlSearches = sql.map((text) => withoutKeys(text, /, base_dn: [^,]*/, /, filter: \{[^}]*\}/));
  const text = `
runtime: { servers: { http: { console_address: [${options.console === false ? "" : "'127.0.0.1:9081'"}] } } }
identity: { saml: { enabled: ${options.saml === true} } }
auth: { backends: { order: [${order}],
  ldap: { pools: { other: {} }, search: [${ldapSearches.join(", ")}] }, sql: { search: [${sqlSearches.join(", ")}] } } }`;
  const result = loadConfig({ text, env: {}, readFile: () => "" });
  const problems = result.ok ? [] : result.problems;
  return problems
    .filter(({ path }) => path.endsWith(".account_field"))
    .map(({ path }) => path.slice("auth.backends.".length));
}

const at = (kind: string, index: number) => `${kind}.search[${index}].mapping.account_field`;

test.each<[what: string, backends: Parameters<typeof fieldProblems>[0], expected: readonly string[]]>([
  ["one search for all pages", { order: "ldap", ldap: [search("oidc, idp", "mail")] }, []],
  ["equal fields", { order: "ldap", ldap: [search("oidc", "mail"), search("idp", "mail")] }, []],
  ["other fields", { order: "ldap", ldap: [search("oidc", "mail"), search("idp", "uid")] }, [at("ldap", 1)]],
  ["one of several", { order: "ldap", ldap: [search("oidc, idp", "mail"), search("idp", "uid")] }, [at("ldap", 1)]],
  ["another pool", { order: "ldap", ldap: [search("oidc", "mail"), search("idp", "uid", "other")] }, []],
  ["no account page", { order: "ldap", ldap: [search("oidc", "mail"), search("imap", "uid")] }, []],
  ["a backend that is not used", { order: "'ldap(other)'", ldap: [search("oidc", "mail"), search("idp", "uid")] }, []],
  ["SQL", { order: "sql", sql: [search("idp", "name"), search("oidc", "mail")] }, [at("sql", 0)]],
  ["SQL, for all others", { order: "sql", sql: [search("oidc", "mail"), search("'*'", "name")] }, [at("sql", 1)]],
])("the pages and the console must name accounts alike: %s", (_what, backends, expected) => {
  expect(fieldProblems(backends)).toEqual(expected);
  expect(fieldProblems(backends, { console: false })).toEqual([]);
});

test("with SAML, its sign-ins must name accounts like the console too", () => {
  const backends = { order: "ldap", ldap: [search("oidc, idp", "mail"), search("saml", "uid")] };
  expect(fieldProblems(backends)).toEqual([]);
  expect(fieldProblems(backends, { saml: true })).toEqual([at("ldap", 1)]);
});
