import { choice, section } from "./fields.ts";
import { IdentityFrontend, IdentityMfa, IdentityMfaPolicy, IdentitySession } from "./identity-frontend.ts";
import { IdentityMailClients } from "./identity-mail-clients.ts";
import { IdentityNotifications } from "./identity-notifications.ts";
import { IdentityOidc } from "./identity-oidc.ts";
import { IdentitySaml } from "./identity-saml.ts";

/** The identity provider. */
export const Identity = section("Identity provider: sessions, pages, second factors, OpenID Connect and SAML.", {
  subject: choice(
    ["unique_id", "account"],
    "Basis of the OIDC subject (`sub`) and of persistent SAML name IDs. `unique_id` uses mapping.unique_user_id_field, which survives renames and must be unique across all backends, or the account name if none is mapped. `account` always uses the account name.",
  ),
  session: IdentitySession,
  frontend: IdentityFrontend,
  mfa: IdentityMfa,
  mfa_policy: IdentityMfaPolicy,
  notices: IdentityNotifications,
  mail_clients: IdentityMailClients,
  oidc: IdentityOidc,
  saml: IdentitySaml,
});
