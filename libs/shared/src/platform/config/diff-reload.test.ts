import { expect, test } from "vitest";
import { diffReload } from "./diff-reload.ts";
import { loadConfig } from "./load.ts";

const secret = "x".repeat(32);

function configOf(tree: object) {
  const loaded = loadConfig({
    text: JSON.stringify({ storage: { redis: { encryption_secret: secret } }, ...tree }),
    env: {},
    readFile: () => "",
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config;
}

const client = { client_id: "web", client_secret: "s", redirect_uris: ["https://a.example.test/"] };
const provider = { entity_id: "sp", acs_url: "https://sp.example.test/acs" };

const identity = (oidc: object, saml: object = {}, more: object = {}) => ({
  identity: {
    frontend: { enabled: true },
    oidc: { enabled: true, issuer: "https://login.example.test", ...oidc },
    saml: { enabled: true, entity_id: "https://login.example.test/saml", ...saml },
    ...more,
  },
});

test.each([
  ["a new OIDC client", identity({}), identity({ clients: [client] })],
  ["a changed OIDC client", identity({ clients: [client] }), identity({ clients: [{ ...client, name: "Web" }] })],
  ["scopes of discovery", identity({}), identity({ scopes_supported: ["openid"] })],
  ["the form of access tokens", identity({}), identity({ access_token_type: "jwt" })],
  ["another age of keys", identity({}), identity({ key_max_age: "2400h" })],
  ["a new service provider", identity({}), identity({}, { service_providers: [provider] })],
  ["times of single logout", identity({}), identity({}, { slo: { request_timeout: "5s" } })],
  ["levels of factors", identity({}), identity({}, {}, { mfa_policy: { levels: { totp: 3 } } })],
  ["timeouts of backends", {}, { runtime: { timeouts: { ldap_search: "4s", sql_query: "4s" } } }],
])("%s is applied by a reload, and no restart is required", (_what, before, after) => {
  expect(diffReload(configOf(before), configOf(after))).toEqual([]);
});

test.each([
  ["identity.oidc.issuer", identity({}), identity({ issuer: "https://other.example.test" })],
  ["identity.saml.key_rotation_interval", identity({}), identity({}, { key_rotation_interval: "24h" })],
  ["runtime.instance_name", {}, { runtime: { instance_name: "b" } }],
])("%s requires a restart, and is named", (path, before, after) => {
  expect(diffReload(configOf(before), configOf(after))).toEqual([path]);
});

test("a reload reports the keys that require a restart, and only those", () => {
  const before = configOf({});
  const after = configOf({ runtime: { instance_name: "other" }, auth: { pipeline: { wait_delay: 3 } } });
  expect(diffReload(before, after)).toEqual(["runtime.instance_name"]);
  expect(diffReload(before, before)).toEqual([]);
});
