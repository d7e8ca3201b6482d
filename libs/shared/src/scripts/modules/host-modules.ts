/**
 * The modules whose functions wait for something: a script is suspended meanwhile, and others run. Each function's
 * name, with its module's, is what a host handler is found by.
 */
export const hostModules = Object.freeze({
  cache: ["get", "set", "delete", "increment"],
  http: ["request"],
  dns: ["lookup", "reverse"],
  sql: ["query", "execute", "transaction"],
  ldap: ["search"],
  mail: ["send"],
  password: ["verify", "hash"],
} as const);
