import { expect, test } from "vitest";
import { loadConfig } from "../load.ts";

function pathsOf(text: string): readonly string[] {
  const result = loadConfig({ text, env: {}, readFile: () => "" });
  return result.ok ? [] : result.problems.map(({ path }) => path);
}

const rules: readonly (readonly [rule: string, text: string, paths: readonly string[]])[] = [
  [
    "signed request objects need the client's keys, and cannot be unsigned",
    `storage: { redis: { encryption_secret: a-secret-of-16-letters } }
identity: { oidc: { enabled: true, issuer: 'https://a.example.test', clients: [
  { client_id: a, redirect_uris: ['https://b.example.test'], require_signed_request_object: true },
  { client_id: b, redirect_uris: ['https://b.example.test'], request_object_signing_alg: PS256 },
  { client_id: c, redirect_uris: ['https://b.example.test'], request_object_signing_alg: none, require_signed_request_object: true, jwks_uri: 'https://b.example.test' },
  { client_id: d, redirect_uris: ['https://b.example.test'], request_object_signing_alg: none },
  { client_id: e, redirect_uris: ['https://b.example.test'], request_object_signing_alg: PS256, require_signed_request_object: true, jwks: '{}' } ] } }`,
    ["[0].client_public_key", "[1].client_public_key", "[2].request_object_signing_alg"].map(
      (path) => `identity.oidc.clients${path}`,
    ),
  ],
  [
    "keys that contradict the profile fapi2 are named, and keys that it sets are not required",
    `storage: { redis: { encryption_secret: a-secret-of-16-letters } }
runtime: { servers: { http: { tls: { enabled: true, cert: a, key: a, cipher_suites: [TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA] } } } }
identity: { oidc: { enabled: true, issuer: 'https://a.example.test', clients: [
  { client_id: a, profile: fapi2, redirect_uris: ['https://b.example.test', 'http://127.0.0.1/'], jwks: '{}' },
  { client_id: b, profile: fapi2, redirect_uris: ['https://b.example.test'] },
  { client_id: c, profile: fapi2, redirect_uris: ['http://b.example.test'], client_secret: s, client_public_key: k,
    token_endpoint_auth_method: client_secret_basic, client_assertion_audience: any, id_token_signed_response_alg: RS256,
    authorization_signed_response_alg: RS256, request_object_signing_alg: none } ] } }`,
    [
      "identity.oidc.clients[1].client_public_key",
      ...[
        "client_secret",
        "token_endpoint_auth_method",
        "client_assertion_audience",
        "client_public_key_algorithm",
        "id_token_signed_response_alg",
        "authorization_signed_response_alg",
        "request_object_signing_alg",
        "redirect_uris",
      ].map((name) => `identity.oidc.clients[2].${name}`),
      "runtime.servers.http.tls.cipher_suites",
    ].toSorted(),
  ],
  [
    "the grant type implicit needs a response type of the site, a redirect URI, and no demand that it bypasses",
    `storage: { redis: { encryption_secret: a-secret-of-16-letters } }
identity: { oidc: { enabled: true, issuer: 'https://a.example.test', response_types_supported: [code, 'id_token token'], clients: [
  { client_id: a, redirect_uris: ['https://b.example.test'], grant_types: [implicit] },
  { client_id: b, grant_types: [implicit] },
  { client_id: c, redirect_uris: ['https://b.example.test'], grant_types: [implicit], dpop_bound_access_tokens: true },
  { client_id: d, redirect_uris: ['https://b.example.test'], grant_types: [implicit], require_pushed_authorization_requests: true },
  { client_id: e, redirect_uris: ['https://b.example.test'], grant_types: [implicit], jwks: '{}', profile: fapi2 },
  { client_id: f, redirect_uris: ['https://b.example.test'], grant_types: [implicit], jwks: '{}', require_signed_request_object: true } ] } }`,
    ["[1].redirect_uris", "[2].grant_types", "[3].grant_types", "[4].grant_types", "[5].grant_types"].map(
      (path) => `identity.oidc.clients${path}`,
    ),
  ],
  [
    "the grant type implicit is off without a response type of the site",
    `storage: { redis: { encryption_secret: a-secret-of-16-letters } }
identity: { frontend: { enabled: true }, oidc: { enabled: true, issuer: 'https://a.example.test',
  dynamic_registration: { enabled: true, open: true, grant_types: [implicit] } } }`,
    ["identity.oidc.response_types_supported"],
  ],
  [
    "no other response type is permitted",
    `storage: { redis: { encryption_secret: a-secret-of-16-letters } }
identity: { oidc: { enabled: true, issuer: 'https://a.example.test', response_types_supported: [code, token, code id_token] } }`,
    ["identity.oidc.response_types_supported"],
  ],
  [
    "cipher suites and groups of a listener must be known",
    "runtime: { servers: { http: { tls: { enabled: true, cert: a, key: a, cipher_suites: [TLS_RSA_WITH_RC4_128_SHA], curves: [P-192] } } } }",
    ["runtime.servers.http.tls.cipher_suites", "runtime.servers.http.tls.curves"],
  ],
  [
    "clients with certificates need a listener or a header, one subject or a key, and no secret",
    `storage: { redis: { encryption_secret: a-secret-of-16-letters } }
identity: { oidc: { enabled: true, issuer: 'https://a.example.test', clients: [
  { client_id: a, redirect_uris: ['https://b.example.test'], token_endpoint_auth_method: tls_client_auth, tls_client_auth_subject_dn: CN=a, tls_client_auth_san_dns: a },
  { client_id: b, redirect_uris: ['https://b.example.test'], token_endpoint_auth_method: tls_client_auth, client_secret: s },
  { client_id: c, redirect_uris: ['https://b.example.test'], token_endpoint_auth_method: self_signed_tls_client_auth },
  { client_id: d, redirect_uris: ['https://b.example.test'], client_secret: s, tls_client_certificate_bound_access_tokens: true } ] } }`,
    [
      "identity.oidc.clients[0].tls_client_auth_subject_dn",
      "identity.oidc.clients[1].client_secret",
      "identity.oidc.clients[1].tls_client_auth_subject_dn",
      "identity.oidc.clients[2].jwks",
      "runtime.servers.http.client_certificates.address",
    ],
  ],
  [
    "a listener for certificates needs TLS, and a verification needs the header with the certificate",
    "runtime: { servers: { http: { client_certificates: { address: ['127.0.0.1:1'], verify_header: X-V } } } }",
    ["runtime.servers.http.client_certificates.header", "runtime.servers.http.tls.enabled"],
  ],
];

test.each(rules)("%s", (_rule, text, paths) => {
  expect(pathsOf(text)).toEqual(paths);
});

function warningsOf(types: string): readonly string[] {
  const oidc = `enabled: true, issuer: 'https://a.example.test', response_types_supported: [${types}]`;
  const text = `storage: { redis: { encryption_secret: a-secret-of-16-letters } }\nidentity: { oidc: { ${oidc} } }`;
  const loaded = loadConfig({ text, env: {}, readFile: () => "" });
  return loaded.ok ? loaded.warnings.map(({ reason }) => reason) : ["not loaded"];
}

test("the implicit flow is warned of wherever it is permitted", () => {
  expect(warningsOf("code, id_token")).toContainEqual(expect.stringContaining("RFC 9700"));
  expect(warningsOf("code")).not.toContainEqual(expect.stringContaining("RFC 9700"));
});
