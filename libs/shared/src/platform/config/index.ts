export { acceptedKeys, createAcceptedKeys } from "./accepted-keys.ts";
export { backchannelAudience } from "./backchannel-audience.ts";
export {
  addressMemberOf,
  claimNameOf,
  claimOwners,
  customScopesOf,
  scopeClaims,
} from "./claim-scopes.ts";
export { clientDefaults } from "./client-defaults.ts";
export { changedKeys, diffReload } from "./diff-reload.ts";
export { excludesImplicit, type ImplicitType, implicitTypes, permittedImplicitTypes } from "./implicit-flow.ts";
export { type LoadOptions, type LoadResult, loadConfig } from "./load.ts";
export { type MailScope, mailScopes } from "./mail-scopes.ts";
export { type MasterUserFormat, parseMasterUserFormat } from "./master-user-format.ts";
export { messages } from "./messages.ts";
export { nearestName } from "./nearest-name.ts";
export { type OwnCertificate, ownCertificates, readOwnCertificate } from "./own-certificates.ts";
export { formatProblem, type Problem } from "./problem.ts";
export { type ConfigSources, type ValueSource } from "./read/reader.ts";
export { type RedactedConfig, redactConfig, redacted, redactNode, redactText } from "./redact.ts";
export { currentName, renamedKeys } from "./renamed-keys.ts";
export { longestTimerMs, type Reload } from "./schema/fields.ts";
export type {
  AuthConfig,
  BackchannelConfig,
  BruteForceConfig,
  BusConfig,
  ClaimMappingConfig,
  Config,
  ControlsConfig,
  CustomScopeConfig,
  DynamicRegistrationConfig,
  HttpServerConfig,
  LdapConfig,
  LdapPoolConfig,
  LdapSearchConfig,
  LuaConfig,
  LuaControlsConfig,
  MailRegistrationConfig,
  ObservabilityConfig,
  OidcClientConfig,
  OidcConfig,
  PolicyConfig,
  RedisConfig,
  RedisRoleConfig,
  RequestHeadersConfig,
  RiskConfig,
  RuntimeConfig,
  SamlConfig,
  SamlProviderConfig,
  SqlConfig,
  SqlPoolConfig,
  SqlSearchConfig,
  TimeoutsConfig,
} from "./schema/root.ts";
export { processSources, type Sources } from "./sources/process-sources.ts";
export { readYaml } from "./sources/yaml.ts";
export { type BackendEntry, parseBackendEntry } from "./validate/backends.ts";
