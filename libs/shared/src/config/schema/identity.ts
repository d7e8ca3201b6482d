import { section } from "./fields.ts";
import { IdentityFrontend, IdentityMfa, IdentityMfaPolicy, IdentitySession } from "./identity-frontend.ts";
import { IdentityNotices } from "./identity-notices.ts";
import { IdentityOidc } from "./identity-oidc.ts";
import { IdentitySaml } from "./identity-saml.ts";

/** The identity provider. Keys of other parts are accepted today and move here with the parts that use them. */
export const Identity = section("The identity provider.", {
  session: IdentitySession,
  frontend: IdentityFrontend,
  mfa: IdentityMfa,
  mfa_policy: IdentityMfaPolicy,
  notices: IdentityNotices,
  oidc: IdentityOidc,
  saml: IdentitySaml,
});
