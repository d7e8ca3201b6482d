import { type OidcSettings, oidcSignatures } from "./oidc-settings.ts";
import { responseModes } from "./response-types.ts";

const authMethods = ["client_secret_basic", "client_secret_post", "private_key_jwt"] as const;

/** Members of discovery that the protocol core does not know (OpenID Connect Discovery §3, RFC 8414 §2, Prompt Create §5). */
export function discoveryMembers(
  { oidc }: OidcSettings,
  uiLocales: readonly string[],
): Readonly<Record<string, unknown>> {
  const { service_documentation: page } = oidc;
  return {
    response_modes_supported: responseModes(oidc),
    prompt_values_supported: ["none", "login", "consent", "select_account"],
    ...(uiLocales.length > 0 && { ui_locales_supported: uiLocales }),
    ...(page !== "" && { service_documentation: page }),
    introspection_endpoint_auth_methods_supported: authMethods,
    introspection_endpoint_auth_signing_alg_values_supported: oidcSignatures,
    // A public client may revoke its own tokens (RFC 7009 §2.1).
    revocation_endpoint_auth_methods_supported: [...authMethods, "none"],
    revocation_endpoint_auth_signing_alg_values_supported: oidcSignatures,
  };
}
