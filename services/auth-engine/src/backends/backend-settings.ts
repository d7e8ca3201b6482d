import type { HttpBackendSettings } from "./http/http-settings.ts";
import type { LdapBackendSettings } from "./ldap/ldap-settings.ts";
import type { LuaBackendSettings } from "./lua/lua-settings.ts";
import type { SqlBackendSettings, SqlDatabaseSettings } from "./sql/sql-settings.ts";

/** One entry of `auth.backends.order`, with the settings it needs. */
export type BackendSettings =
  | { readonly kind: "sql"; readonly settings: SqlBackendSettings; readonly database: SqlDatabaseSettings }
  | { readonly kind: "lua"; readonly settings: LuaBackendSettings }
  | { readonly kind: "remote"; readonly settings: HttpBackendSettings }
  | { readonly kind: "ldap"; readonly settings: LdapBackendSettings };
