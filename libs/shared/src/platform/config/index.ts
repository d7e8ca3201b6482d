export { acceptedKeys } from "./accepted-keys.ts";
export { backchannelAudience } from "./backchannel-audience.ts";
export { changedKeys, diffReload } from "./diff-reload.ts";
export { dumpConfig } from "./dump.ts";
export { type ExplainOptions, type Explanation, explainKey, type KeyExplanation } from "./explain.ts";
export { type LoadOptions, type LoadResult, loadConfig } from "./load.ts";
export { type MasterUserFormat, parseMasterUserFormat } from "./master-user-format.ts";
export { nearestName } from "./nearest-name.ts";
export { formatProblem, type Problem } from "./problem.ts";
export { type ConfigSources, type ValueSource } from "./read/reader.ts";
export { type RedactedConfig, redactConfig, redacted, redactText } from "./redact.ts";
export { renamedKeys } from "./renamed-keys.ts";
export type {
  AuthConfig,
  BackchannelConfig,
  BruteForceConfig,
  BusConfig,
  ClaimMappingConfig,
  Config,
  ControlsConfig,
  CustomScopeConfig,
  HttpServerConfig,
  LdapConfig,
  LdapPoolConfig,
  LdapSearchConfig,
  LuaConfig,
  LuaControlsConfig,
  ObservabilityConfig,
  OidcClientConfig,
  OidcConfig,
  PolicyConfig,
  RedisConfig,
  RedisRoleConfig,
  RequestHeadersConfig,
  RuntimeConfig,
  SamlConfig,
  SamlProviderConfig,
  SqlConfig,
  SqlPoolConfig,
  SqlSearchConfig,
  TimeoutsConfig,
} from "./schema/root.ts";
export { showType, showValue } from "./show-value.ts";
export { processSources, type Sources } from "./sources/process-sources.ts";
export { schemaTree } from "./tree/from-schema.ts";
export type { CollectionNode, LeafNode, SchemaNode, SectionNode } from "./tree/node.ts";
export { environmentName } from "./tree/path.ts";
export { type BackendEntry, parseBackendEntry } from "./validate/backends.ts";
