import type { Static } from "typebox";
import { Auth } from "./auth.ts";
import type { LdapSearch } from "./auth-ldap.ts";
import type { LdapPool } from "./auth-ldap-pool.ts";
import type { SqlSearch } from "./auth-sql.ts";
import type { SqlPool } from "./auth-sql-pool.ts";
import { choice, section } from "./fields.ts";
import { IdentityFrontend, IdentityMfa, IdentityMfaPolicy, IdentitySession } from "./identity-frontend.ts";
import { IdentityMailClients } from "./identity-mail-clients.ts";
import { IdentityNotifications } from "./identity-notifications.ts";
import { IdentityOidc } from "./identity-oidc.ts";
import type { ClaimMapping, CustomScope, OidcClient } from "./identity-oidc-client.ts";
import { IdentitySaml } from "./identity-saml.ts";
import type { SamlProvider } from "./identity-saml-provider.ts";
import { Observability } from "./observability.ts";
import { Runtime } from "./runtime.ts";
import type { HttpServer } from "./runtime-http.ts";
import { type RedisRole, Storage } from "./storage.ts";

/** The identity provider. */
const Identity = section("Identity provider: sessions, pages, second factors, OpenID Connect and SAML.", {
  subject: choice(["unique_id", "account"], "unique_id", {
    description:
      "Basis of the OIDC subject (`sub`) and of persistent SAML name IDs. `unique_id` uses mapping.unique_user_id_field, which survives renames and must be unique across all backends, or the account name if none is mapped. `account` always uses the account name.",
  }),
  session: IdentitySession,
  frontend: IdentityFrontend,
  mfa: IdentityMfa,
  mfa_policy: IdentityMfaPolicy,
  notices: IdentityNotifications,
  mail_clients: IdentityMailClients,
  oidc: IdentityOidc,
  saml: IdentitySaml,
});

/** The whole tree. */
export const Root = section("Configuration of all services.", {
  runtime: Runtime,
  observability: Observability,
  storage: Storage,
  auth: Auth,
  identity: Identity,
});

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** Every key filled; durations in milliseconds; unset texts are empty; keys are spelled as in the file. */
export type Config = DeepReadonly<Static<typeof Root>>;

export type RuntimeConfig = Config["runtime"];
export type BusConfig = Config["runtime"]["bus"];
export type TimeoutsConfig = Config["runtime"]["timeouts"];
export type HttpServerConfig = DeepReadonly<Static<typeof HttpServer>>;
export type ObservabilityConfig = Config["observability"];
export type RedisConfig = Config["storage"]["redis"];
export type RedisRoleConfig = DeepReadonly<Static<ReturnType<typeof RedisRole>>>;
export type AuthConfig = Config["auth"];
export type BackchannelConfig = Config["auth"]["backchannel"];
export type BruteForceConfig = Config["auth"]["controls"]["brute_force"];
export type RequestHeadersConfig = Config["auth"]["request"]["headers"];
export type LdapConfig = Config["auth"]["backends"]["ldap"];
export type LdapPoolConfig = DeepReadonly<Static<typeof LdapPool>>;
export type LdapSearchConfig = DeepReadonly<Static<typeof LdapSearch>>;
export type ControlsConfig = Config["auth"]["controls"];
export type PolicyConfig = Config["auth"]["policy"];
export type RiskConfig = Config["auth"]["risk"];
export type LuaConfig = Config["auth"]["backends"]["lua"];
export type LuaControlsConfig = Config["auth"]["controls"]["lua"];
export type SqlConfig = Config["auth"]["backends"]["sql"];
export type SqlPoolConfig = DeepReadonly<Static<typeof SqlPool>>;
export type SqlSearchConfig = DeepReadonly<Static<typeof SqlSearch>>;
export type OidcConfig = DeepReadonly<Static<typeof IdentityOidc>>;
export type OidcClientConfig = DeepReadonly<Static<typeof OidcClient>>;
export type MailRegistrationConfig = OidcConfig["mail_registration"];
export type DynamicRegistrationConfig = OidcConfig["dynamic_registration"];
export type SamlConfig = DeepReadonly<Static<typeof IdentitySaml>>;
export type SamlProviderConfig = DeepReadonly<Static<typeof SamlProvider>>;
export type ClaimMappingConfig = DeepReadonly<Static<typeof ClaimMapping>>;
export type CustomScopeConfig = DeepReadonly<Static<typeof CustomScope>>;
