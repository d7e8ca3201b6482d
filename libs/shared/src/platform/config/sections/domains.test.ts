import fc from "fast-check";
import { expect, test } from "vitest";
import { loadConfig } from "../load.ts";
import { readDomainRecord } from "../read-domain-record.ts";

const rows = (pool: string) =>
  `{ protocol: ["*"], cache_name: c, pool_name: ${pool}, queries: { user: SELECT }, mapping: { account_field: a } }`;
const sql = `{ default: { driver: sqlite, file: f }, pools: { a: { driver: sqlite, file: a }, idle: { driver: sqlite, file: i } }, search: [${["default", "a"].map(rows).join()}] }`;

const paths = (list: readonly { readonly path: string }[]) => list.map(({ path }) => path.replace("auth.domains", ""));

/** Problems and warnings about domains. */
function judged(domains: string, controls = "{}") {
  const text = `{ auth: { backends: { sql: ${sql} }, controls: ${controls}, domains: ${domains} } }`;
  const { warnings, ...result } = loadConfig({ text, env: {}, readFile: () => "" });
  return {
    problems: result.ok ? [] : paths(result.problems),
    warnings: paths(warnings).filter((path) => path === "" || path[0] === "."),
  };
}

test.each<[name: string, domains: string, problems: readonly string[]]>([
  ["nothing", "{}", []],
  ["records", `{ records: [{ name: a.test, aliases: [bücher.test], backends: ["sql(a)", sql] }] }`, []],
  [
    "no domain",
    "{ records: [{ name: localhost, aliases: [192.0.2.1] }] }",
    [".records[0].aliases[0]", ".records[0].name"],
  ],
  ["a name twice", "{ records: [{ name: a.test }, { name: b.test, aliases: [A.test] }] }", [".records[1].aliases[0]"]],
  ["an unknown pool", `{ records: [{ name: a.test, backends: ["sql(z)"] }] }`, [".records[0].backends[0]"]],
  ["a pool without a search", `{ default: { backends: ["sql(idle)"] } }`, [".default.backends[0]"]],
  ["the cache", "{ records: [{ name: a.test, backends: [cache] }] }", [".records[0].backends[0]"]],
  [
    "an attribute that is a number",
    "{ records: [{ name: a.test, attributes: { n: 1 } }] }",
    [".records[0].attributes"],
  ],
  ["a default domain that is none", "{ default_domain: x }", [".default_domain"]],
  ["a query without the domain", "{ source: { kind: sql, query: SELECT } }", [".source.query"]],
  [
    "a source without its keys",
    "{ source: { kind: ldap, pool: x } }",
    [".source.base_dn", ".source.filter", ".source.pool"],
  ],
  ["a script without a path", "{ source: { kind: lua } }", [".source.script_path"]],
  [
    "backends of the source",
    `{ source: { kind: sql, query: "SELECT :domain", backends: ["sql(b)"] } }`,
    [".source.backends[0]"],
  ],
])("%s", (_name, domains, problems) => {
  expect(judged(domains).problems).toEqual(problems);
});

test("rules without records, and domains that relay_domains denies, are reported", () => {
  expect(judged("{ default: { enabled: true } }").warnings).toEqual([""]);
  const relay = "{ enabled: [relay_domains], relay_domains: { static: [a.test] } }";
  expect(judged("{ records: [{ name: A.test }, { name: b.test }] }", relay).warnings).toEqual([".records[1].name"]);
});

test("without an order, the domains need backends of their own", () => {
  const results = ["{}", `{ records: [{ name: a.test, backends: ["sql(a)"] }] }`].map((domains) =>
    loadConfig({
      text: `{ auth: { backends: { order: [], sql: ${sql} }, domains: ${domains} } }`,
      env: {},
      readFile: () => "",
    }),
  );
  expect(results.map(({ ok }) => ok)).toEqual([false, true]);
});

test("a record of a source has the defaults of the configuration, and texts in the place of lists", () => {
  const read = readDomainRecord({ name: "a.test", aliases: "b.test,c.test", attributes: '{"tenant":"7"}' });
  expect(read).toMatchObject({
    aliases: ["b.test", "c.test"],
    attributes: { tenant: "7" },
    enabled: true,
    mail_credentials: "any",
    backends: [],
  });
});

test.each([
  [{}, "name"],
  [{ name: "a.test", protocol: "imap" }, "protocol"],
  [{ name: "a.test", enabled: "perhaps" }, "enabled"],
  [{ name: "a.test", mail_credentials: "none" }, "mail_credentials"],
  [{ name: "a.test", attributes: { n: [1] } }, "attributes"],
  [{ name: "a.test", second_factor: "always" }, "second_factor"],
  [{ name: "a.test", mail: "imap.a.test" }, "mail"],
  [{ name: "a.test", mail: '{"imap":{"host":"imap.a.test"}}' }, "mail.smtp.host"],
  [{ name: "a.test", brand: '{"accent_color":"red"}' }, "brand.accent_color"],
])("the record %j is not used", (raw, path) => {
  expect(() => readDomainRecord(raw)).toThrow(path);
});

test("sections of a record are JSON in databases and directories", () => {
  const brand = '{"name":"A","links":{"support_url":"https://help.a.test/"}}';
  expect(readDomainRecord({ name: "a.test", brand: "null" })).toEqual(readDomainRecord({ name: "a.test" }));
  expect(readDomainRecord({ name: "a.test", brand })).toMatchObject({
    brand: { name: "A", links: { support_url: "https://help.a.test/" } },
    mail: { smtp: { host: "" } },
    second_factor: "optional",
  });
});

test.each([
  ["{ domain_listeners: [{ address: '127.0.0.1:1', default_domain: a.test }] }", "{}", []],
  ["{ domain_listeners: [{ default_domain: 'a b' }] }", "{}", ["address", "default_domain"]],
  ["{}", "{ enabled: true, default_domain: a.test }", []],
  ["{}", "{ enabled: true, default_domain: a b }", ["default_domain"]],
])("listeners of a domain: http %s, grpc %s", (http, grpc, keys) => {
  const servers = `runtime: { servers: { http: ${http}, grpc: { authority: ${grpc} } } }`;
  const problems = (domains: string) => {
    const text = `{ auth: { domains: { ${domains} } }, ${servers} }`;
    const result = loadConfig({ text, env: {}, readFile: () => "" });
    return result.ok ? [] : result.problems.map(({ path }) => path.split(".").at(-1));
  };
  expect(problems("records: [{ name: a.test }]")).toEqual(keys);
  expect(problems("")).toContain("default_domain");
});

/** A site whose client is for these domains. */
const clientFor = (domains: string) => `
auth: { domains: { records: [{ name: a.test, aliases: [b.test] }] } }
identity: { oidc: { clients: [{ client_id: c, domains: ${domains} }] } }`;

test("applications are limited to domains, by names of domains that are served", () => {
  const [good, bad] = ["[a.test, B.test, c.test]", '["a b"]'].map((domains) =>
    loadConfig({ text: clientFor(domains), env: {}, readFile: () => "" }),
  );
  expect(good?.warnings.map(({ path }) => path)).toContain("identity.oidc.clients[0].domains[2]");
  expect(good?.warnings.map(({ path }) => path)).not.toContain("identity.oidc.clients[0].domains[1]");
  expect(bad?.ok === false && bad.problems.map(({ path }) => path)).toContain("identity.oidc.clients[0].domains[0]");
});

test("whatever a source returns is a record or an error", () => {
  const key = fc.constantFrom(
    "name",
    "aliases",
    "enabled",
    "backends",
    "protocols",
    "attributes",
    "message",
    "mail",
    "brand",
    "x",
  );
  fc.assert(
    fc.property(fc.dictionary(key, fc.oneof(fc.jsonValue(), fc.domain())), (raw) => {
      try {
        expect(readDomainRecord(raw).name).toBe(raw["name"]);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }),
  );
});
