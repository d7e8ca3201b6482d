import type { OidcClientConfig } from "@postern/shared/platform/config";

/** Algorithms of all signatures: those of our tokens, and those that clients create. */
export const oidcSignatures = ["RS256", "PS256", "ES256", "EdDSA"] as const;

export type OidcSignature = (typeof oidcSignatures)[number];

function signatureOf(configured: OidcSignature | "", { profile }: OidcClientConfig): OidcSignature {
  if (configured !== "") return configured;
  return profile === "fapi2" ? "PS256" : "RS256";
}

/** What FAPI 2.0 Security Profile §5.3 demands; `config check` rejects keys that say otherwise. */
function fapi2(client: OidcClientConfig): Partial<OidcClientConfig> {
  if (client.profile !== "fapi2") return {};
  const { token_endpoint_auth_method: method } = client;
  const usesTls = method === "tls_client_auth" || method === "self_signed_tls_client_auth";
  return {
    token_endpoint_auth_method: usesTls ? method : "private_key_jwt",
    client_assertion_audience: "issuer",
    require_pushed_authorization_requests: true,
    require_pkce: true,
    dpop_bound_access_tokens: !client.tls_client_certificate_bound_access_tokens,
    // Bound refresh tokens need no rotation, and a lost response must not lock the client out (§5.3.2.1).
    revoke_refresh_token: false,
  };
}

/** The client with the effects of its `profile`, and without empty keys that depend on it. */
export function withProfile(client: OidcClientConfig): OidcClientConfig {
  return {
    ...client,
    id_token_signed_response_alg: signatureOf(client.id_token_signed_response_alg, client),
    authorization_signed_response_alg: signatureOf(client.authorization_signed_response_alg, client),
    ...fapi2(client),
  };
}

/** FAPI 2.0 excludes RS256 from everything that a client signs (§5.4). */
export function acceptsSignature({ profile }: OidcClientConfig, algorithm: string): boolean {
  return profile !== "fapi2" || algorithm !== "RS256";
}
