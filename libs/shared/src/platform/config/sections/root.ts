import type { Static } from "typebox";
import { Auth } from "./auth.ts";
import { section } from "./fields.ts";
import { Identity } from "./identity.ts";
import { Observability } from "./observability.ts";
import { Runtime } from "./runtime.ts";
import { Storage } from "./storage.ts";

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
export type BusConfig = RuntimeConfig["bus"];
export type RegionsConfig = RuntimeConfig["regions"];
export type HttpServerConfig = RuntimeConfig["servers"]["http"];
export type RedisConfig = Config["storage"]["redis"];
export type RedisRoleConfig = RedisConfig["roles"]["state"];
export type AuthConfig = Config["auth"];
export type BackchannelConfig = AuthConfig["backchannel"];
export type RequestHeadersConfig = AuthConfig["request"]["headers"];
export type ControlsConfig = AuthConfig["controls"];
export type BruteForceConfig = ControlsConfig["brute_force"];
export type PolicyConfig = AuthConfig["policy"];
export type DomainsConfig = AuthConfig["domains"];
export type DomainRecordConfig = DomainsConfig["records"][number];
export type RiskConfig = AuthConfig["risk"];
export type LdapConfig = AuthConfig["backends"]["ldap"];
export type LdapPoolConfig = LdapConfig["default"];
export type LdapSearchConfig = LdapConfig["search"][number];
export type HttpPoolConfig = AuthConfig["backends"]["http"]["default"];
export type SqlConfig = AuthConfig["backends"]["sql"];
export type SqlPoolConfig = SqlConfig["default"];
export type SqlSearchConfig = SqlConfig["search"][number];
export type OidcConfig = Config["identity"]["oidc"];
export type OidcClientConfig = OidcConfig["clients"][number];
export type ClaimMappingConfig = OidcConfig["claim_mappings"][number];
export type CustomScopeConfig = OidcConfig["custom_scopes"][number];
export type MailRegistrationConfig = OidcConfig["mail_registration"];
export type DynamicRegistrationConfig = OidcConfig["dynamic_registration"];
export type SamlConfig = Config["identity"]["saml"];
export type SamlProviderConfig = SamlConfig["service_providers"][number];
