export { createLdapDirectory, type LdapDirectory } from "./ldap-directory.ts";
export type { LdapPoolSnapshot } from "./ldap-pool.ts";
export type {
  LdapBreakerSettings,
  LdapDirectorySettings,
  LdapPoolSettings,
  LdapScope,
  LdapSearchSettings,
  LdapTlsSettings,
} from "./settings.ts";
export type { LdapLog } from "./target-set.ts";
