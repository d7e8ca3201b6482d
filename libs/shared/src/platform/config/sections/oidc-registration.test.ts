import { expect, test } from "vitest";
import { loadConfig } from "../load.ts";

const both = `storage: { redis: { encryption_secret: a-secret-of-16-letters } }
identity: { frontend: { enabled: true }, oidc: { enabled: true, issuer: 'https://a.example.test',`;
const root = "identity.oidc.dynamic_registration";

function problemsOf(text: string): readonly string[] {
  const loaded = loadConfig({ text, env: {}, readFile: () => "" });
  return loaded.ok ? [] : loaded.problems.map(({ path }) => path);
}

test("clients can register only with the provider and its pages, and if someone may", () => {
  expect(problemsOf("identity: { oidc: { dynamic_registration: { enabled: true } } }")).toEqual([
    "identity.frontend.enabled",
    `${root}.initial_access_tokens`,
    "identity.oidc.enabled",
  ]);
  expect(problemsOf(`${both} dynamic_registration: { enabled: true, open: true } } }`)).toEqual([]);
});

test("the keys of dynamic registration are valid together", () => {
  const text = `${both} dynamic_registration: { enabled: true, initial_access_tokens: [{ name: a }],
  grant_types: [client_credentials], token_endpoint_auth_methods: [], scopes: ['service:admin'], unused_ttl: 2h,
  redirect_hosts: ['https://a'], jwks_networks: [a] } } }`;
  expect(problemsOf(text)).toEqual(
    [
      "grant_types",
      "initial_access_tokens[0].token",
      "jwks_networks",
      "redirect_hosts",
      "scopes",
      "token_endpoint_auth_methods",
      "unused_ttl",
    ].map((key) => `${root}.${key}`),
  );
});

test("scopes that alone open a mailbox cannot be registered", () => {
  const text = `auth: { oauthbearer: { enabled: true, issuer: 'https://a.example.test', required_scope: [mail] } }
${both} dynamic_registration: { enabled: true, open: true, scopes: [openid, mail] } } }`;
  expect(problemsOf(text)).toContain(`${root}.scopes`);
});
