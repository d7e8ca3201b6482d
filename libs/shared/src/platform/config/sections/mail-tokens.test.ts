import { expect, test } from "vitest";
import { loadConfig } from "../load.ts";
import { formatProblem } from "../problem.ts";

interface Keys {
  readonly auth?: object;
  readonly oidc?: object;
  readonly registration?: object;
  readonly mailClients?: object;
}

const issuer = "https://id.example.test";
const engines = { oauthbearer: { enabled: true, issuer } };
const accepted = (more: object) => ({ oauthbearer: { enabled: true, issuer, ...more } });
const server = { client_id: "dovecot", client_secret: "a-secret", resource_server: true, grant_types: [], scopes: [] };

/** The warnings about mail clients and their tokens. */
function warnings({ auth = engines, oidc = {}, registration = {}, mailClients }: Keys): readonly string[] {
  const host = { host: "mail.example.test" };
  const domains = [{ names: ["example.test"], imap: host, smtp: host }];
  const tree = {
    storage: { redis: { encryption_secret: "a-secret-of-16-letters" } },
    auth,
    identity: {
      frontend: { enabled: true },
      oidc: { enabled: true, issuer, mail_registration: { enabled: true, ...registration }, ...oidc },
      ...(mailClients !== undefined && { mail_clients: { enabled: true, domains, oauth2: mailClients } }),
    },
  };
  const loaded = loadConfig({ text: JSON.stringify(tree), env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error(loaded.problems.map(formatProblem).join("\n"));
  return loaded.warnings
    .map(formatProblem)
    .filter((line) =>
      /^(?:identity\.(?:oidc|mail_clients)|auth\.(?:oauthbearer|backchannel\.oidc_bearer))\./u.test(line),
    );
}

const unused =
  "is true, but no mail server can verify the tokens: enable auth.oauthbearer, or add a client with resource_server";
const foreign = "differs from identity.oidc.issuer: tokens of this identity provider are not accepted";

test("registration with engines or a mail server that accept the tokens causes no warning", () => {
  expect(warnings({})).toEqual([]);
  expect(warnings({ auth: {}, oidc: { clients: [server] } })).toEqual([]);
  expect(warnings({ mailClients: { enabled: true } })).toEqual([]);
  expect(warnings({ auth: {}, registration: { enabled: false } })).toEqual([]);
});

test("registration while nothing accepts the tokens causes one warning", () => {
  const line = `identity.oidc.mail_registration.enabled: ${unused}`;
  expect(warnings({ auth: {} })).toEqual([line]);
  expect(warnings({ auth: {}, mailClients: { enabled: true } })).toEqual([line]);
});

test("registration while the engines accept only another issuer's tokens causes a warning", () => {
  const other = "https://other.example.test";
  expect(warnings({ auth: { oauthbearer: { enabled: true, issuer: other } } })).toEqual([
    `auth.oauthbearer.issuer: ${foreign}`,
  ]);
  for (const enabled of [true, false]) {
    const auth = { oauthbearer: { enabled: true }, backchannel: { oidc_bearer: { enabled, issuer: other } } };
    expect(warnings({ auth })).toEqual([`auth.backchannel.oidc_bearer.issuer: ${foreign}`]);
  }
});

test("a scope without protocols, and a mail server without the protocols of any scope, cause warnings", () => {
  const scopes = [{ name: "mail", protocols: ["IMAP"] }, { name: "notes" }];
  const clients = [["imap", "pop3"], ["sieve"], []].map((protocols, index) => ({
    ...server,
    client_id: `server${index}`,
    protocols,
  }));
  expect(warnings({ registration: { scopes }, oidc: { clients } })).toEqual([
    "identity.oidc.clients[1].protocols: contains no protocol of a scope in identity.oidc.mail_registration: tokens of mail clients are reported as inactive to this server",
    "identity.oidc.mail_registration.scopes[1].protocols: is empty: a token that has only this scope is accepted for no protocol",
  ]);
});

test("settings that invite clients to register while a registration needs a token cause a warning", () => {
  const registration = { initial_access_tokens: [{ name: "staff", token: "an-initial-access-token-of-the-site" }] };
  expect(warnings({ registration, mailClients: { enabled: true } })).toEqual([
    "identity.mail_clients.oauth2.enabled: is true, but identity.oidc.mail_registration.initial_access_tokens is set: clients that follow the settings have no such token and cannot register",
  ]);
  expect(warnings({ registration })).toEqual([]);
  expect(warnings({ registration, mailClients: { enabled: false } })).toEqual([]);
});

test("OAuth 2.0 first while clients have no client ID causes a warning, and so do tokens that the engines refuse", () => {
  const off = { registration: { enabled: false } };
  expect(warnings({ ...off, auth: accepted({ audience: ["desk"] }), mailClients: { enabled: true } })).toEqual([
    "identity.mail_clients.oauth2.client_id: is empty while identity.oidc.mail_registration is off: only clients that know a client ID can sign in with OAuth 2.0",
  ]);
  const oidc = { clients: [{ client_id: "desk", redirect_uris: ["http://127.0.0.1/"], scopes: ["openid", "email"] }] };
  const mailClients = { enabled: true, client_id: "desk", scopes: ["openid"] };
  const refused =
    "identity.mail_clients.oauth2.client_id: is a client whose tokens auth.oauthbearer does not accept: add the client to its audience, and its required_scope to scopes";
  const found = (more: object) => warnings({ ...off, oidc, mailClients, auth: accepted(more) });
  expect(found({ audience: ["other"] })).toEqual([refused]);
  expect(found({ required_scope: ["openid", "email"] })).toEqual([refused]);
  expect(found({ audience: ["desk"], required_scope: ["openid"] })).toEqual([]);
});
