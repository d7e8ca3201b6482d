/**
 * Modules whose functions are asynchronous: the script is suspended while others run. A host handler is registered by module and function
 * name.
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
