import { createPrivateKey, createPublicKey, generateKeyPairSync, type webcrypto } from "node:crypto";
import type { Tree } from "../../test/support/stack-config.ts";

/** The addresses of the suite for one run. */
export interface SuiteAddresses {
  /** Base of the addresses where the suite plays the client. */
  readonly test: string;
}

export interface KeyedClient {
  readonly id: string;
  readonly jwk: webcrypto.JsonWebKey & { readonly kid: string; readonly alg: string };
}

function makeKeyedClient(id: string, alg: "RS256" | "PS256"): KeyedClient {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return { id, jwk: { ...privateKey.export({ format: "jwk" }), kid: `${id}-key`, alg, use: "sig" } };
}

function publicJwks({ jwk }: KeyedClient): string {
  const { kid, alg, use } = jwk;
  const key = createPublicKey(createPrivateKey({ key: jwk, format: "jwk" }));
  return JSON.stringify({ keys: [{ ...key.export({ format: "jwk" }), kid, alg, use }] });
}

export const secretOf = (id: string): string => `${id}-secret-of-some-length-0123456789`;

const scopes = ["openid", "profile", "email", "address", "phone", "offline_access"];

/** Claims that the directory of the run has values for, beyond those that Postern maps by default. */
const mappings = [
  { claim: "email_verified", attribute: "verified", type: "boolean" },
  { claim: "phone_number_verified", attribute: "verified", type: "boolean" },
  { claim: "address", attribute: "postalAddress", type: "address" },
  { claim: "middle_name", attribute: "middleName" },
  { claim: "nickname", attribute: "nickname" },
  { claim: "profile", attribute: "profilePage" },
  { claim: "picture", attribute: "pictureUrl" },
  { claim: "gender", attribute: "gender" },
  { claim: "birthdate", attribute: "birthdate" },
  { claim: "zoneinfo", attribute: "zoneinfo" },
  { claim: "updated_at", attribute: "updatedAt", type: "integer" },
];

function common({ test }: SuiteAddresses, id: string): Tree {
  return {
    name: `Conformance ${id}`,
    client_id: id,
    redirect_uris: [`${test}/callback`],
    post_logout_redirect_uris: [`${test}/post_logout_redirect`],
    scopes,
    grant_types: ["authorization_code", "refresh_token"],
    id_token_claims: { mappings },
  };
}

function secret(addresses: SuiteAddresses, id: string, more: Tree = {}): Tree {
  return { ...common(addresses, id), client_secret: secretOf(id), ...more };
}

function keyed(addresses: SuiteAddresses, client: KeyedClient, more: Tree = {}): Tree {
  const { alg } = client.jwk;
  return {
    ...common(addresses, client.id),
    token_endpoint_auth_method: "private_key_jwt",
    client_public_key_algorithm: alg,
    jwks: publicJwks(client),
    ...more,
  };
}

/** Each request shows the consent page, so that the user can refuse. */
const fapi: Tree = { profile: "fapi2", consent_ttl: "1s" };
/** The second draft wants other audiences than the issuer accepted, so the profile does not fit. */
const draft: Tree = {
  id_token_signed_response_alg: "PS256",
  require_pkce: true,
  require_pushed_authorization_requests: true,
  dpop_bound_access_tokens: true,
  revoke_refresh_token: false,
  consent_ttl: "1s",
};
const signed: Tree = { ...fapi, require_signed_request_object: true };

/** The client authenticates by its certificate, to which its tokens are bound. */
function byCertificate(addresses: SuiteAddresses, { id }: KeyedClient): Tree {
  return {
    ...common(addresses, id),
    ...fapi,
    token_endpoint_auth_method: "tls_client_auth",
    tls_client_auth_subject_dn: `CN=${id}`,
    tls_client_certificate_bound_access_tokens: true,
  };
}

type Pair = readonly [KeyedClient, KeyedClient];

export interface Keys {
  readonly oidc: Pair;
  readonly fapi: Pair;
  /** Clients of the second draft of FAPI 2.0. */
  readonly draft: Pair;
  /** Signs its requests. */
  readonly signed: Pair;
  /** Authenticates by certificates. */
  readonly mutual: Pair;
}

const pair = (name: string, alg: "RS256" | "PS256"): Pair => [
  makeKeyedClient(`${name}-1`, alg),
  makeKeyedClient(`${name}-2`, alg),
];

export function makeKeys(): Keys {
  return {
    oidc: pair("key", "RS256"),
    fapi: pair("fapi", "PS256"),
    draft: pair("draft", "PS256"),
    signed: pair("signed", "PS256"),
    mutual: pair("mutual", "PS256"),
  };
}

/** The clients of all plans, as `identity.oidc.clients`. A client that is notified of logouts is used by no other plan. */
export function configuredClients(addresses: SuiteAddresses, keys: Keys): readonly Tree[] {
  const { test } = addresses;
  // The second client of a plan has a redirect URI with a query.
  const second: Tree = { redirect_uris: [`${test}/callback?dummy1=lorem&dummy2=ipsum`] };
  const unsigned: Tree = { request_object_signing_alg: "none" };
  return [
    secret(addresses, "basic-1", unsigned),
    secret(addresses, "basic-2", unsigned),
    secret(addresses, "basic-post", { token_endpoint_auth_method: "client_secret_post" }),
    secret(addresses, "back-channel", { backchannel_logout_uri: `${test}/backchannel_logout` }),
    secret(addresses, "front-channel", {
      frontchannel_logout_uri: `${test}/frontchannel_logout`,
      frontchannel_logout_session_required: true,
    }),
    ...keys.oidc.map((client) => keyed(addresses, client, unsigned)),
    ...keys.fapi.map((client, index) => keyed(addresses, client, { ...fapi, ...(index === 1 && second) })),
    ...keys.draft.map((client, index) => keyed(addresses, client, { ...draft, ...(index === 1 && second) })),
    ...keys.signed.map((client, index) => keyed(addresses, client, { ...signed, ...(index === 1 && second) })),
    ...keys.mutual.map((client, index) => ({ ...byCertificate(addresses, client), ...(index === 1 && second) })),
  ];
}
