import { pathTo } from "@postern/shared/contracts";
import type { OidcSettings } from "./oidc-settings.ts";

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
