export { acceptedKeys, createAcceptedKeys, movedReason } from "./accepted-keys.ts";
export { changedKeys, diffReload } from "./diff-reload.ts";
export { type LoadOptions, type LoadResult, loadConfig } from "./load.ts";
export { messages } from "./messages.ts";
export { type OwnCertificate, ownCertificates, readOwnCertificate } from "./own-certificates.ts";
export { formatProblem, nearestName, type Problem } from "./problem.ts";
export { type ConfigSources, type ValueSource } from "./read/reader.ts";
export { readDomainRecord } from "./read-domain-record.ts";
export { type RedactedConfig, redactConfig, redacted, redactNode, withUnreadSecrets } from "./redact.ts";
export { currentName, renamedKeys } from "./renamed-keys.ts";
export { backchannelAudience, callerDefaultDomain } from "./sections/auth-backchannel.ts";
export { parseBackendEntry } from "./sections/auth-backends.ts";
export { domainBackends } from "./sections/auth-domains.ts";
export { httpPoolsOf } from "./sections/auth-http.ts";
export { parseMasterUserFormat } from "./sections/auth-pipeline.ts";
export { riskModes, riskResponses } from "./sections/auth-risk.ts";
export { usesDomains } from "./sections/checks.ts";
export { longestTimerMs } from "./sections/fields.ts";
export {
  addressMemberOf,
  claimNameOf,
  claimOwners,
  customScopesOf,
  scopeClaims,
} from "./sections/identity-oidc-claims.ts";
export { excludesImplicit } from "./sections/identity-oidc-client-checks.ts";
export {
  clientDefaults,
  type ImplicitType,
  implicitTypes,
  permittedImplicitTypes,
} from "./sections/identity-oidc-clients.ts";
export { mailScopes } from "./sections/identity-oidc-mail-registration.ts";
export type * from "./sections/root.ts";
export { Root as schemaTree } from "./sections/root.ts";
export { poolsOf } from "./sections/servers.ts";
export { processSources, sourceRevision } from "./sources/environment.ts";
export { readYaml } from "./sources/yaml.ts";
export type { Reload } from "./tree/node.ts";
