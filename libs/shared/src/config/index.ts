export { type LoadOptions, type LoadResult, loadConfig } from "./load.ts";
export { formatProblem, type Problem } from "./problem.ts";
export { type ConfigSources, type ValueSource } from "./read/reader.ts";
export type {
  AuthConfig,
  BusConfig,
  Config,
  HttpServerConfig,
  LdapConfig,
  LdapPoolConfig,
  LdapSearchConfig,
  ObservabilityConfig,
  RedisConfig,
  RedisRoleConfig,
  RequestHeadersConfig,
  RuntimeConfig,
  SqlConfig,
  SqlPoolConfig,
  SqlSearchConfig,
  TimeoutsConfig,
} from "./schema/root.ts";
export { processSources, type Sources } from "./sources/process-sources.ts";
