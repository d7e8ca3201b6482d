import { pathTo } from "@postern/shared/contracts";
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

const methods = ["client_secret_basic", "client_secret_post", "private_key_jwt"];
const byCertificate = ["tls_client_auth", "self_signed_tls_client_auth"];

/** Members of discovery for mutual TLS (RFC 8705 §3.3, §5), where a listener or a trusted proxy passes certificates. */
export function certificateSupport({ certificates, oidc }: OidcSettings): Readonly<Record<string, unknown>> {
  if (!certificates) return {};
  const { mtls_url: base } = oidc;
  const at = (path: string): string => `${new URL(base).origin}${path}`;
  return {
    token_endpoint_auth_methods_supported: [...methods, ...byCertificate, "none"],
    introspection_endpoint_auth_methods_supported: [...methods, ...byCertificate],
    revocation_endpoint_auth_methods_supported: [...methods, ...byCertificate, "none"],
    tls_client_certificate_bound_access_tokens: true,
    ...(base !== "" && {
      mtls_endpoint_aliases: {
        token_endpoint: at(pathTo("token")),
        userinfo_endpoint: at(pathTo("userinfo")),
        introspection_endpoint: at(pathTo("introspect")),
        revocation_endpoint: at(pathTo("revoke")),
        pushed_authorization_request_endpoint: at(pathTo("pushAuthorization")),
        device_authorization_endpoint: at(pathTo("deviceAuthorization")),
      },
    }),
  };
}
