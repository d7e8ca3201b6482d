import {
  type HostFunctions,
  type LuaObject,
  type LuaValue,
  objectArgument,
  textArgument,
  textFields,
} from "@postern/shared/domain/scripts";
import type { Entry } from "ldapts";
import { compileFilter } from "./filter.ts";
import type { LdapPool } from "./ldap-pool.ts";

const maxEntries = 1000;
const scopes = ["base", "one", "sub"] as const;
const attributeName = /^[a-z0-9][a-z0-9_.;-]*$/i;

/** Encodes every byte as `\hh`, which RFC 4514 and RFC 4515 treat as part of a value. */
function escaped(value: string): string {
  return Buffer.from(value).toString("hex").replaceAll(/../g, String.raw`\$&`);
}

/**
 * Fills in `%{name}`. A value cannot end its place in the template. An empty value is refused, because
 * `(mail=*%{domain})` would match all users.
 */
function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/%\{([^}]*)\}/g, (_token, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined || value === "") throw new TypeError(`values.${name} must be a non-empty string`);
    return escaped(value);
  });
}

function scopeOf(value: LuaValue): (typeof scopes)[number] {
  const scope = scopes.find((known) => known === (value ?? "sub"));
  if (scope === undefined) throw new TypeError("scope must be base, one or sub");
  return scope;
}

function attributesOf(value: LuaValue): string[] {
  const names: readonly LuaValue[] = Array.isArray(value) ? value : [];
  const known = names.filter((name) => typeof name === "string");
  if (known.length === 0 || known.length < names.length || !known.every((name) => attributeName.test(name))) {
    throw new TypeError("attributes must be a list of names");
  }
  return known;
}

function limitOf(value: LuaValue): number {
  if (value === undefined) return maxEntries;
  if (typeof value !== "number" || !Number.isInteger(value) || value < 1) throw new TypeError("limit must be a number");
  return Math.min(value, maxEntries);
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function textOrBytes(value: string | Buffer): string | Uint8Array {
  if (typeof value === "string") return value;
  try {
    return utf8.decode(value);
  } catch {
    return new Uint8Array(value);
  }
}

function valuesOf(raw: Entry[string] | undefined): readonly LuaValue[] {
  return (Array.isArray(raw) ? raw : raw === undefined ? [] : [raw]).map(textOrBytes);
}

/** The names in the script's spelling, because servers may answer in another one. */
function entryTable(entry: Entry, attributes: readonly string[]): LuaObject {
  const spelt = new Map(Object.keys(entry).map((name) => [name.toLowerCase(), name]));
  const values = attributes.flatMap((name): [string, LuaValue][] => {
    const found = valuesOf(entry[spelt.get(name.toLowerCase()) ?? name]);
    return found.length > 0 ? [[name, found]] : [];
  });
  return { dn: entry.dn, attributes: Object.fromEntries(values) };
}

/**
 * `ldap`: searches in the pools of `auth.backends.ldap`. More entries than `limit` are an error; a partial result is
 * never returned.
 */
export function ldapModule(find: (pool: string) => Pick<LdapPool, "lookup"> | undefined): HostFunctions {
  return {
    "ldap.search": async ([poolName, argument], { deadline, signal }) => {
      const name = textArgument(poolName, "pool");
      const pool = find(name);
      if (pool === undefined) throw new Error(`unknown pool ${name}`);
      const search = objectArgument(argument, "search");
      const values = textFields(search.values, "values");
      const attributes = attributesOf(search.attributes);
      const limit = limitOf(search.limit);
      const options = {
        scope: scopeOf(search.scope),
        filter: compileFilter(filled(textArgument(search.filter, "filter"), values))({ username: "", protocol: "" }),
        attributes,
        explicitBufferAttributes: attributes,
        sizeLimit: limit + 1,
      };
      const base = filled(textArgument(search.base, "base"), values);
      const doing = `search in LDAP pool ${name}`;
      const searchEntries = await pool.lookup.entries(doing, base, options, { deadline, signal });
      if (searchEntries.length > limit) throw new RangeError(`more than ${limit} entries`);
      return searchEntries.map((entry) => entryTable(entry, attributes));
    },
  };
}
