import type { OidcClientConfig, OidcConfig } from "./schema/root.ts";

/** Response types of the implicit flow (OpenID Connect Core §3.2). */
export const implicitTypes = ["id_token", "id_token token"] as const;

export type ImplicitType = (typeof implicitTypes)[number];

/** The response types of the implicit flow that the site permits; normally none. */
export function permittedImplicitTypes({ response_types_supported: types }: OidcConfig): readonly ImplicitType[] {
  return implicitTypes.filter((type) => types.includes(type));
}

type ClientRules = Pick<
  OidcClientConfig,
  | "profile"
  | "token_endpoint_auth_method"
  | "dpop_bound_access_tokens"
  | "tls_client_certificate_bound_access_tokens"
  | "require_pushed_authorization_requests"
  | "require_signed_request_object"
>;

/** The keys of a client that demand a protection which the implicit flow would bypass; such a client never uses it. */
export function excludesImplicit(client: ClientRules): readonly (keyof ClientRules)[] {
  const demands: readonly (readonly [name: keyof ClientRules, demanded: boolean])[] = [
    ["profile", client.profile === "fapi2"],
    ["token_endpoint_auth_method", client.token_endpoint_auth_method.endsWith("tls_client_auth")],
    ["dpop_bound_access_tokens", client.dpop_bound_access_tokens],
    ["tls_client_certificate_bound_access_tokens", client.tls_client_certificate_bound_access_tokens],
    ["require_pushed_authorization_requests", client.require_pushed_authorization_requests],
    ["require_signed_request_object", client.require_signed_request_object],
  ];
  return demands.flatMap(([name, demanded]) => (demanded ? [name] : []));
}
