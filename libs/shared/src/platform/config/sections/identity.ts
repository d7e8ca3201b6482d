import { messages } from "../messages.ts";
import type { Judgement } from "./checks.ts";
import { choice, section } from "./fields.ts";
import { IdentityFrontend, IdentitySession } from "./identity-frontend.ts";
import { IdentityMailClients } from "./identity-mail-clients.ts";
import { IdentityMfa, IdentityMfaPolicy } from "./identity-mfa.ts";
import { IdentityNotifications } from "./identity-notices.ts";
import { IdentityOidc } from "./identity-oidc.ts";
import { IdentitySaml } from "./identity-saml.ts";
import type { Config } from "./root.ts";

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

/** Protocols with which the sign-in pages query backends. */
const pageProtocols: ReadonlySet<string> = new Set(["oidc", "saml", "idp", "*"]);

/** Warns where subjects are account names: a renamed user appears as a new one, and a reassigned name inherits access. */
export function validateSubject({ auth, identity }: Config, { warning }: Judgement): void {
  const { oidc, saml, subject } = identity;
  if (subject !== "unique_id" || !(oidc.enabled || saml.enabled)) return;
  for (const kind of ["ldap", "sql"] as const) {
    if (!auth.backends.order.some((name) => name === kind || name.startsWith(`${kind}(`))) continue;
    auth.backends[kind].search.forEach(({ protocol, mapping }, index) => {
      if (mapping.unique_user_id_field !== "" || !protocol.some((name) => pageProtocols.has(name))) return;
      warning(`auth.backends.${kind}.search[${index}].mapping.unique_user_id_field`, messages.noUniqueUserId);
    });
  }
  const { enabled, username_claims } = auth.oauthbearer;
  if (oidc.enabled && enabled && username_claims.every((claim) => claim === "sub")) {
    warning("auth.oauthbearer.username_claims", messages.subjectNamesNobody);
  }
}
