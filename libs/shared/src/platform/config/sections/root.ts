import type { ValueOf } from "../tree/node.ts";
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

/** Every key filled; durations in milliseconds; unset texts are empty; keys are spelled as in the file. */
export type Config = ValueOf<typeof Root>;

export type BusConfig = Config["runtime"]["bus"];
export type HttpServerConfig = Config["runtime"]["servers"]["http"];
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
export type SqlPoolConfig = AuthConfig["backends"]["sql"]["default"];
export type SqlSearchConfig = AuthConfig["backends"]["sql"]["search"][number];
export type OidcConfig = Config["identity"]["oidc"];
export type OidcClientConfig = OidcConfig["clients"][number];
export type ClaimMappingConfig = OidcConfig["claim_mappings"][number];
export type CustomScopeConfig = OidcConfig["custom_scopes"][number];
export type MailRegistrationConfig = OidcConfig["mail_registration"];
export type DynamicRegistrationConfig = OidcConfig["dynamic_registration"];
export type SamlConfig = Config["identity"]["saml"];
export type SamlProviderConfig = SamlConfig["service_providers"][number];
