import { describe, expect, test } from "vitest";
import { loadConfig } from "../load.ts";
import { formatProblem } from "../problem.ts";

function warnings(tree: object): readonly string[] {
  const loaded = loadConfig({ text: JSON.stringify(tree), env: {}, readFile: () => "" });
  return loaded.warnings.map(formatProblem);
}

const paths = (tree: object): readonly string[] => warnings(tree).map((line) => line.split(": ", 1)[0] ?? "");

test("disabled brute-force protection is a warning", () => {
  expect(warnings({})).toContain(
    "auth.controls.enabled: does not contain brute_force: password guessing is not limited",
  );
  const enabled = ["brute_force"];
  const on = { auth: { controls: { enabled } }, storage: { redis: { password_nonce: "x".repeat(16) } } };
  expect(paths(on)).not.toContain("auth.controls.enabled");
});

test.each([
  [{ enabled: false }, {}, true],
  [{ enabled: false }, { count_network: true }, false],
  [{}, {}, false],
])(
  "account_delay %j with without_client %j leaves requests without client address unprotected: %s",
  (delay, withoutClient, isWarned) => {
    const bruteForce = { account_delay: delay, without_client: withoutClient };
    const storage = { redis: { password_nonce: "x".repeat(16) } };
    const path = "auth.controls.brute_force.without_client.count_network";
    const on = { auth: { controls: { enabled: ["brute_force"], brute_force: bruteForce } }, storage };
    expect(paths(on).includes(path)).toBe(isWarned);
    expect(paths({ auth: { controls: { brute_force: bruteForce } }, storage })).not.toContain(path);
  },
);

test.each([
  ["0.0.0.0/0", true],
  ["::/0", true],
  ["128.0.0.0/1", true],
  ["2000::/3", true],
  ["10.0.0.0/8", false],
  ["192.0.2.1", false],
  ["fd00::/16", false],
])("trusted proxies of %s trust any client: %s", (network, isWarned) => {
  const http = { trusted_proxies: ["127.0.0.1", network] };
  const path = "runtime.servers.http.trusted_proxies[1]";
  expect(paths({ runtime: { servers: { http } } }).includes(path)).toBe(isWarned);
});

const bus = (of: object) => paths({ runtime: { bus: of } }).filter((path) => path.startsWith("runtime.bus"));
const redis = (of: object) => paths({ storage: { redis: of } }).filter((path) => path.startsWith("storage.redis"));

const ldap = (protocol: readonly string[]) => ({
  protocol,
  cache_name: "a",
  base_dn: "o",
  filter: { user: "(uid=%s)" },
  mapping: { account_field: "uid" },
});
const sql = (protocol: readonly string[]) => ({
  protocol,
  cache_name: "a",
  queries: { user: "SELECT :username" },
  mapping: { account_field: "a" },
});
const site = (backends: object, identity: object = {}) => ({
  storage: { redis: { encryption_secret: "x".repeat(16) } },
  identity: { frontend: { enabled: true }, oidc: { issuer: "https://a.example.test", enabled: true }, ...identity },
  auth: { backends: { ldap: { default: { server_uri: ["ldap://h"] } }, ...backends } },
});
const order = (tree: object) => warnings(tree).filter((line) => line.startsWith("auth.backends.order"));

describe("a connection to another machine without authentication or TLS", () => {
  test.each([
    [{}, []],
    [{ servers: ["nats://127.0.0.1:4222", "nats://[::1]:4222"] }, []],
    [{ servers: ["nats://nats:4222"] }, ["runtime.bus.tls.enabled", "runtime.bus.username"]],
    [{ servers: ["tls://nats:4222"], token: "t" }, []],
    [{ servers: ["nats://nats:4222"], token: "t", tls: { enabled: true } }, []],
    [{ servers: ["nats://127.0.0.1:4222", "nats://192.0.2.1:4222"], token: "t" }, ["runtime.bus.tls.enabled"]],
  ])("NATS %j", (of, expected) => {
    expect(bus(of)).toEqual(expected);
  });

  test.each([
    [{}, []],
    [{ primary: { address: "localhost:6379" } }, []],
    [{ primary: { address: "redis:6379" } }, ["storage.redis.primary.password", "storage.redis.tls.enabled"]],
    [{ primary: { address: "redis:6379", password: "p" }, tls: { enabled: true } }, []],
    [
      { roles: { queue: { url: "redis://q:6379/0" }, cache: { url: "rediss://:p@c:6379/0" } } },
      ["storage.redis.roles.queue.password", "storage.redis.roles.queue.tls.enabled"],
    ],
    [
      { roles: { state: { cluster: { addresses: ["a:1", "b:1"], password: "p" } } } },
      ["storage.redis.roles.state.tls.enabled"],
    ],
    [{ roles: { state: { sentinels: { master: "m", addresses: ["127.0.0.1:26379"] } } } }, []],
  ])("Redis %j", (of, expected) => {
    expect(redis(of)).toEqual(expected);
  });
});

describe("protocols that Postern itself uses", () => {
  test("a search for mail protocols only fails every sign-in, and the first such protocol is named", () => {
    const search = [ldap(["imap", "smtp"])];
    const tree = site({ order: ["ldap"], ldap: { default: { server_uri: ["ldap://h"] }, search } });
    expect(order(tree)).toEqual([
      "auth.backends.order: contains no backend with a search for the protocol idp (used by the account page): every such request ends in a temporary failure",
    ]);
    expect(order({ ...tree, identity: {} })).toEqual([]);
  });

  test("a backend without a protocol that another one serves is named by its position", () => {
    const ldapOf = { default: { server_uri: ["ldap://h"] }, search: [ldap(["imap", "idp"])] };
    const sqlOf = { default: { file: "f" }, search: [sql(["*"])] };
    expect(order(site({ order: ["cache", "sql", "ldap"], ldap: ldapOf, sql: sqlOf }))).toEqual([
      "auth.backends.order[2]: has no search for the protocol oidc (used by OpenID Connect sign-ins): users of this backend are unknown there",
    ]);
  });

  test("listed protocols or a star cause no warning", () => {
    const ldapOf = { default: { server_uri: ["ldap://h"] }, search: [ldap(["imap", "idp", "oidc"])] };
    expect(order(site({ order: ["ldap"], ldap: ldapOf }))).toEqual([]);
    expect(order(site({ order: ["sql"], sql: { default: { file: "f" }, search: [sql(["*"])] } }))).toEqual([]);
  });
});
