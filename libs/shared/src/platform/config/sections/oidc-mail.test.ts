import { expect, test } from "vitest";
import { loadConfig } from "../load.ts";

const both = `storage: { redis: { encryption_secret: a-secret-of-16-letters } }
identity: { frontend: { enabled: true }, oidc: { enabled: true, issuer: 'https://a.example.test',`;

function problemsOf(text: string): readonly string[] {
  const loaded = loadConfig({ text, env: {}, readFile: () => "" });
  return loaded.ok ? [] : loaded.problems.map(({ path }) => path);
}

test("mail clients can register only with the provider and its pages", () => {
  expect(problemsOf("identity: { oidc: { mail_registration: { enabled: true } } }")).toEqual([
    "identity.frontend.enabled",
    "identity.oidc.enabled",
  ]);
  expect(problemsOf(`${both} mail_registration: { enabled: true } } }`)).toEqual([]);
});

test("the keys of registered mail clients are valid together", () => {
  const text = `${both}
  custom_scopes: [{ name: imap }], clients: [{ client_id: post, redirect_uris: ['https://b.example.test'] }], mail_registration: { enabled: true, audience: post,
  scopes: [{ name: imap }, { name: 'a b' }, { name: sieve }, { name: sieve }, { name: openid }], resources: ['imap.example.test:993', 'imap://u@h', 'a b'],
  https_redirect_hosts: ['https://mail.example.test'], unused_ttl: 2h, initial_access_tokens: [{ name: a }], require_mfa: [sms] } } }`;
  expect(problemsOf(text)).toEqual(
    [
      "audience",
      "https_redirect_hosts",
      "initial_access_tokens[0].token",
      "require_mfa",
      "resources",
      ...[0, 1, 3, 4].map((index) => `scopes[${index}].name`),
      "unused_ttl",
    ].map((key) => `identity.oidc.mail_registration.${key}`),
  );
});
