import { expect, test } from "vitest";
import { loadConfig } from "../load.ts";

function pathsOf(text: string, env: Record<string, string> = {}): readonly string[] {
  const result = loadConfig({ text, env, readFile: () => "" });
  return result.ok ? [] : result.problems.map(({ path }) => path);
}

const search = "protocol: [imap], cache_name: c, base_dn: o, filter: { user: (a=b) }, mapping: { account_field: mail }";
const sqlSearch = "cache_name: c, queries: { user: SELECT }, mapping: { account_field: a }";
const ldap = (inner: string) => `auth: { backends: { order: [ldap], ldap: { ${inner} } } }`;
const sql = (inner: string, order = "[sql]") => `auth: { backends: { order: ${order}, sql: { ${inner} } } }`;
const sqlForAll = `default: { file: f }, search: [{ protocol: ["*"], ${sqlSearch} }]`;

const rules: readonly (readonly [rule: string, text: string, paths: readonly string[]])[] = [
  [
    "Basic callers need a user name and a password",
    "auth: { backchannel: { basic_auth: { enabled: true } } }",
    ["auth.backchannel.basic_auth.password", "auth.backchannel.basic_auth.username"],
  ],
  [
    "a caller's password must have at least 16 characters",
    "auth: { backchannel: { basic_auth: { enabled: true, username: u, password: short } } }",
    ["auth.backchannel.basic_auth.password"],
  ],
  [
    "metadata must come over TLS or from this machine, be signed, and have only one source",
    "identity: { frontend: { enabled: true }, oidc: { issuer: 'https://a.example.test' }, saml: { enabled: true, entity_id: a, service_providers: [{ entity_id: b, metadata: { url: 'http://b.example.test/', allow_unsigned: true } }, { entity_id: c, metadata: { url: 'https://u@c.example.test/', cert: c, file: f } }, { entity_id: d, metadata: { url: 'http://127.0.0.1:1/' } }] } }",
    [
      "identity.saml.service_providers[0].metadata.url",
      "identity.saml.service_providers[1].metadata.file",
      "identity.saml.service_providers[1].metadata.url",
      "identity.saml.service_providers[2].metadata.cert",
      "storage.redis.encryption_secret",
    ],
  ],
  [
    "users' tokens need an issuer, and an audience or a scope",
    "auth: { oauthbearer: { enabled: true } }",
    ["auth.oauthbearer", "auth.oauthbearer.issuer"],
  ],
  [
    "users' tokens must not have the audience of the back channel",
    "auth: { oauthbearer: { audience: [mail, 'service:backchannel'] } }",
    ["auth.oauthbearer.audience"],
  ],
  [
    "the issuer of callers' tokens also serves users' tokens, and a scope without an audience is sufficient",
    "auth: { backchannel: { oidc_bearer: { issuer: 'https://idp.example.test' } }, oauthbearer: { enabled: true, required_scope: [mail] } }",
    [],
  ],
  [
    "the shared caches need the secrets that protect their contents",
    "storage: { redis: { identity_cache: { enabled: true } } }",
    ["storage.redis.encryption_secret", "storage.redis.password_nonce"],
  ],
  [
    "responses to stolen passwords are known, and the levels rise",
    "auth: { risk: { suspicious: { score: 60, responses: [ban] }, dangerous: { score: 50 } } }",
    ["auth.risk.dangerous.score", "auth.risk.suspicious.responses"],
  ],
  [
    "former encryption secrets must not be empty and require a current one",
    "storage: { redis: { encryption_secrets_old: [{}, { secret: former-secret-0123 }] } }",
    ["storage.redis.encryption_secret", "storage.redis.encryption_secrets_old[0].secret"],
  ],
  [
    "only operations of the allowlist are compared with the management contract",
    "runtime: { servers: { http: { openapi_validation: { operations: [flushUserCache, flushUsersCache, issueToken] } } } }",
    ["runtime.servers.http.openapi_validation.operations[1]", "runtime.servers.http.openapi_validation.operations[2]"],
  ],
  [
    "required factors and levels must exist and be attainable",
    "identity: { saml: { service_providers: [{ entity_id: a, require_mfa: [sms], required_mfa_level: strong }] }, oidc: { clients: [{ client_id: a, required_mfa_level: '3', supported_mfa: [totp] }, { client_id: b, required_mfa_level: '4', mfa_policy: { levels: { totp: 4 } } }] } }",
    [
      "identity.oidc.clients[0].required_mfa_level",
      "identity.saml.service_providers[0].require_mfa",
      "identity.saml.service_providers[0].required_mfa_level",
    ],
  ],
  [
    "a mail domain has one entry, with a server to receive and one to send",
    "identity: { mail_clients: { domains: [{ names: [a.test, 'x y', A.test], imap: { host: i.test }, smtp: { host: s.test } }, { names: [b.test] }] } }",
    ["[0].names[1]", "[0].names[2]", "[1].imap.host", "[1].smtp.host"].map(
      (at) => `identity.mail_clients.domains${at}`,
    ),
  ],
  [
    "settings of mail clients need a domain and an issuer, OAuth 2.0 needs OIDC, and a certificate its key",
    "identity: { mail_clients: { enabled: true, oauth2: { enabled: true }, profile: { cert_file: f } } }",
    [
      "identity.mail_clients.domains",
      "identity.mail_clients.profile.key",
      "identity.oidc.enabled",
      "identity.oidc.issuer",
    ],
  ],
  [
    "OAuth 2.0 of mail clients needs a public client that may request the scopes",
    `storage: { redis: { encryption_secret: a-secret-of-16-letters } }
identity: { frontend: { enabled: true }, mail_clients: { enabled: true, oauth2: { enabled: true, client_id: b, scopes: [email] }, domains: [{ names: [a.test], imap: { host: i.test }, smtp: { host: s.test } }] },
  oidc: { enabled: true, issuer: 'https://a.example.test', clients: [{ client_id: b, client_secret: c, scopes: [openid], redirect_uris: ['https://b.example.test'] }] } }`,
    ["identity.mail_clients.oauth2.client_id", "identity.mail_clients.oauth2.scopes"],
  ],
  [
    "clients that register themselves may request the scopes of the registration only",
    `storage: { redis: { encryption_secret: a-secret-of-16-letters } }
identity: { frontend: { enabled: true }, mail_clients: { enabled: true, oauth2: { enabled: true, scopes: ['urn:ietf:params:oauth:scope:mail', imap] }, domains: [{ names: [a.test], imap: { host: i.test }, smtp: { host: s.test } }] },
  oidc: { enabled: true, issuer: 'https://a.example.test', mail_registration: { enabled: true } } }`,
    ["identity.mail_clients.oauth2.scopes"],
  ],
  [
    "a constant must be a string, a number, true or false",
    "identity: { oidc: { clients: [{ id_token_claims: { mappings: [{ claim: a, constant: [b] }, { claim: b, constant: { c: d } }] } }] } }",
    [0, 1].map((index) => `identity.oidc.clients[0].id_token_claims.mappings[${index}].constant`),
  ],
  [
    "a constant claim must have no other source, must have the type of its claim, and must not identify the user",
    `storage: { redis: { encryption_secret: a-secret-of-16-letters } }
identity: { oidc: { enabled: true, issuer: 'https://a.example.test', clients: [{ client_id: a, redirect_uris: ['https://b.example.test'],
  id_token_claims: { mappings: [
    { claim: email_verified, constant: true }, { claim: phone_number_verified, constant: 'false', type: boolean }, { claim: tier, constant: 3 },
    { claim: email_verified, constant: true, attribute: mailVerified }, { claim: groups, constant: staff, from: groups },
    { claim: email_verified, constant: 'true' }, { claim: email_verified, constant: 1 }, { claim: level, constant: high, type: integer },
    { claim: address, constant: a, type: address }, { claim: email, constant: a@example.test }, { claim: updated_at, constant: yesterday }, { claim: updated_at, constant: '1700000000' }] },
  access_token_claims: { mappings: [{ claim: phone_number_verified, constant: 'yes' }] } }] } }`,
    [
      "access_token_claims.mappings[0].constant",
      ...[10, 3, 4, 5, 6, 7, 8, 9].map((index) => `id_token_claims.mappings[${index}].constant`),
    ].map((path) => `identity.oidc.clients[0].${path}`),
  ],
  [
    "metrics credentials must be complete",
    "observability: { metrics: { endpoint_auth: { basic: { enabled: true, username: u } } } }",
    ["observability.metrics.endpoint_auth.basic.password"],
  ],
  [
    "an upstream must be an IP address, because nginx does not resolve names",
    "auth: { upstreams: { imap: { address: mail.example.test }, smtp: { address: 2001:db8::1 }, pop3: { address: '' } } }",
    ["auth.upstreams.imap.address"],
  ],
  [
    "the password of a JWT user must be verifiable",
    "auth: { backchannel: { jwt: { enabled: true, secret_key: 0123456789abcdef0123456789abcdef, users: [{ username: a, password: '{SSHA}1G904nLkTkGWjKNnQuB/hpWXC/hzYWx0c2FsdA==' }, { username: b, password: '!$6$saltsalt$x' }, { username: c, password: '$argon2id$truncated' }, { username: d, password: abJnggxhB/yWI }] } } }",
    [1, 2, 3].map((index) => `auth.backchannel.jwt.users[${index}].password`),
  ],
  [
    "decoys must be verifiable stored passwords",
    "auth: { pipeline: { decoy_passwords: [{ stored: '{SSHA}1G904nLkTkGWjKNnQuB/hpWXC/hzYWx0c2FsdA==' }, { weight: 3 }] } }",
    ["auth.pipeline.decoy_passwords[1].stored"],
  ],
  [
    "TLS needs certificate and key",
    "runtime: { servers: { http: { tls: { enabled: true } } } }",
    ["runtime.servers.http.tls.cert", "runtime.servers.http.tls.key"],
  ],
  [
    "gRPC without TLS must listen on a loopback address",
    "runtime: { servers: { grpc: { authority: { enabled: true, address: '0.0.0.0:9444' } } } }",
    ["runtime.servers.grpc.authority.address"],
  ],
  [
    "a host name does not count as a loopback address",
    "runtime: { servers: { grpc: { authority: { enabled: true, address: 'mail.example.test:9444' } } } }",
    ["runtime.servers.grpc.authority.address"],
  ],
  [
    "gRPC on ::1 and localhost may omit TLS",
    "runtime: { servers: { grpc: { authority: { enabled: true, address: '[::1]:9444' } } } }",
    [],
  ],
  [
    "a disabled gRPC listener may have any address",
    "runtime: { servers: { grpc: { authority: { address: '0.0.0.0:9444' } } } }",
    [],
  ],
  [
    "gRPC with TLS needs a certificate, a key and the clients' CA",
    "runtime: { servers: { grpc: { authority: { enabled: true, address: '0.0.0.0:9444', tls: { enabled: true, require_client_cert: true } } } } }",
    [
      "runtime.servers.grpc.authority.tls.cert",
      "runtime.servers.grpc.authority.tls.client_ca",
      "runtime.servers.grpc.authority.tls.key",
    ],
  ],
  [
    "the burst must not be below the rate",
    "runtime: { servers: { http: { rate_limit: { per_second: 10, burst: 9 } } } }",
    ["runtime.servers.http.rate_limit.burst"],
  ],
  [
    "path segments must differ",
    "runtime: { naming: { proxy_segment: x, sasl_segment: x } }",
    ["runtime.naming.sasl_segment"],
  ],
  [
    "a path segment must not be that of another endpoint",
    "runtime: { naming: { proxy_segment: json } }",
    ["runtime.naming.proxy_segment"],
  ],
  [
    "the bus must have only one kind of credentials",
    "runtime: { bus: { username: u, password: p, token: t } }",
    ["runtime.bus"],
  ],
  [
    "the secret of caller assertions must have at least 32 characters",
    "runtime: { services: { caller_assertion: { secret: short } } }",
    ["runtime.services.caller_assertion.secret"],
  ],
  [
    "a Sentinel master needs sentinels",
    "storage: { redis: { roles: { state: { sentinels: { master: m } } } } }",
    ["storage.redis.roles.state.sentinels.addresses"],
  ],
  ["the order must contain only backends", "auth: { backends: { order: [nis] } }", ["auth.backends.order[0]"]],
  [
    "the order must contain only configured backends",
    "auth: { backends: { order: [ldap] } }",
    ["auth.backends.order[0]"],
  ],
  ["the order must contain a backend only once", sql(sqlForAll, "[sql, sql]"), ["auth.backends.order[1]"]],
  [
    "the order may contain the cache, which needs its secrets",
    sql(sqlForAll, "[cache, sql]"),
    ["storage.redis.encryption_secret", "storage.redis.password_nonce"],
  ],
  ["a pool in the order must be configured", "auth: { backends: { order: ['ldap(x)'] } }", ["auth.backends.order[0]"]],
  ["a pool that is used must have servers", ldap(`search: [{ ${search} }]`), ["auth.backends.ldap.default.server_uri"]],
  [
    "the pool of a search must be configured",
    ldap(`search: [{ ${search}, pool_name: x }]`),
    ["auth.backends.ldap.search[0].pool_name"],
  ],
  [
    "an LDAP search must name its protocols",
    ldap(`default: { server_uri: ldap://h }, search: [{ ${search.replace("imap", "'*'")} }]`),
    ["auth.backends.ldap.search[0].protocol"],
  ],
  [
    "a service account must have a password",
    ldap(`default: { server_uri: ldap://h, bind_dn: cn=x }, search: [{ ${search} }]`),
    ["auth.backends.ldap.default.bind_pw"],
  ],
  [
    "SASL EXTERNAL needs no password",
    ldap(`default: { server_uri: ldap://h, bind_dn: cn=x, sasl_external: true }, search: [{ ${search} }]`),
    [],
  ],
  [
    "a SQL search needs a file",
    sql(`search: [{ protocol: [imap], ${sqlSearch} }]`),
    ["auth.backends.sql.default.file"],
  ],
  [
    "a protocol must have only one SQL search",
    sql(`default: { file: f }, search: [{ protocol: [imap], ${sqlSearch} }, { protocol: [imap], ${sqlSearch} }]`),
    ["auth.backends.sql.search[1].protocol"],
  ],
  [
    "a SQL search must not release passwords",
    sql(`default: { file: f }, search: [{ protocol: [imap], ${sqlSearch}, attribute: [password] }]`),
    ["auth.backends.sql.search[0].attribute"],
  ],
];

test.each(rules)("%s", (_rule, text, paths) => {
  expect(pathsOf(text)).toEqual(paths);
});

test("an operation that cannot be validated is rejected with the nearest name", () => {
  const text = "runtime: { servers: { http: { openapi_validation: { operations: [flushUsersCache] } } } }";
  const result = loadConfig({ text, env: {}, readFile: () => "" });
  expect(result.ok ? [] : result.problems).toMatchObject([{ hint: "did you mean flushUserCache?" }]);
});

const mappedSearches = (mapping: string): string =>
  `auth: { backends: { order: [sql, ldap], sql: { default: { file: f }, search: [{ protocol: ["*"], cache_name: c, queries: { user: SELECT }, mapping: { account_field: a ${mapping} } }] }, ldap: { default: { server_uri: "ldap://h" }, search: [{ ${search} }] } } }`;
const servedIdentity = (more: string): string =>
  `identity: { ${more} oidc: { enabled: true, issuer: "https://a.example.test" } }\nstorage: { redis: { encryption_secret: a-secret-of-16-letters } }`;

function subjectWarnings(mapping: string, more = ""): readonly string[] {
  const text = `${mappedSearches(mapping)}\n${servedIdentity(more)}`;
  const { warnings } = loadConfig({ text, env: {}, readFile: () => "" });
  return warnings.map(({ path }) => path).filter((path) => path.endsWith("unique_user_id_field"));
}

test("sub as account name causes a warning, unless it is configured explicitly", () => {
  expect(subjectWarnings("")).toEqual(["auth.backends.sql.search[0].mapping.unique_user_id_field"]);
  expect(subjectWarnings(", unique_user_id_field: uid")).toEqual([]);
  expect(subjectWarnings("", "subject: account,")).toEqual([]);
});
