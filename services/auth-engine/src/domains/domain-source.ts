import { domainToUnicode } from "node:url";
import { domainOfRecord, InvalidRecord, type KnownDomain, type ReadRecord } from "@postern/shared/domain/domains";
import type { HostFunctions, LuaValue, ScriptRunner } from "@postern/shared/domain/scripts";
import { type DomainRecordConfig, type DomainsConfig, readDomainRecord } from "@postern/shared/platform/config";
import { steadyClock } from "@postern/shared/platform/time";

type SourceConfig = DomainsConfig["source"];
type Fields = Readonly<Record<string, unknown>>;

/** A row, an entry or a table: a domain by name or alias; undefined if there is none. Throws if there are several. */
type ReadFields = (
  domain: string,
  call: { readonly deadline: number; readonly signal: AbortSignal },
) => Promise<Fields | undefined>;

/** Databases and directories have many ways to write these. */
const flags: Readonly<Record<string, boolean>> = { 1: true, t: true, true: true, 0: false, f: false, false: false };

const onlyOne = (value: unknown): unknown => (Array.isArray(value) && value.length === 1 ? value[0] : value);

/** Keys whose values are lists in an LDAP entry; of the others, an entry has one value. */
const lists: ReadonlySet<string> = new Set(["aliases", "backends", "protocols"]);

/** An array of PostgreSQL as the text that its driver returns, such as `{a.example,b.example}`. */
const postgresqlArray = /^\{(.*)\}$/u;

const listOf = (raw: unknown): unknown => (typeof raw === "string" ? raw.replace(postgresqlArray, "$1") : raw);

/** The fields as the reader of records takes them: null is absent, flags are words, and structures are objects. */
function normalised(fields: Fields): Fields {
  const entries = Object.entries(fields).flatMap(([key, raw]): [string, unknown][] => {
    const value = lists.has(key) ? listOf(raw) : onlyOne(raw);
    if (value === null || value === undefined || value === "") return [];
    if (key === "enabled") return [[key, flags[JSON.stringify(value).toLowerCase().replaceAll('"', "")] ?? value]];
    return [[key, value]];
  });
  return Object.fromEntries(entries);
}

function fieldsOf(value: LuaValue): Fields | undefined {
  if (typeof value !== "object" || Array.isArray(value) || value instanceof Uint8Array) return undefined;
  return Object.fromEntries(Object.entries(value));
}

function onlyRow(rows: LuaValue): Fields | undefined {
  const all: readonly LuaValue[] = Array.isArray(rows) ? rows : [];
  if (all.length > 1) throw new InvalidRecord(`the source returned ${all.length} records for one domain`);
  return all.map(fieldsOf)[0];
}

function ldapFields(entries: LuaValue, attributes: Readonly<Record<string, unknown>>): Fields | undefined {
  const entry = onlyRow(entries);
  const values = entry?.["attributes"];
  if (typeof values !== "object" || values === null) return undefined;
  const byName: Fields = { ...values };
  return Object.fromEntries(Object.entries(attributes).map(([key, name]) => [key, byName[String(name)]]));
}

function attributesOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function readFields(
  { kind, pool, query, base_dn: base, filter, attributes, script_path: script }: SourceConfig,
  functions: HostFunctions,
  scripts: Pick<ScriptRunner, "run">,
): ReadFields {
  const call = async (name: "sql.query" | "ldap.search", args: LuaValue[], context: Parameters<ReadFields>[1]) => {
    const run = functions[name];
    if (run === undefined) throw new Error(`${name} is not available`);
    return run(args, { ...context, script: "" });
  };
  if (kind === "sql")
    return async (domain, context) => onlyRow(await call("sql.query", [pool, query, { domain }], context));
  if (kind === "ldap") {
    const named = attributesOf(attributes);
    const names = [...new Set(Object.values(named).map(String))];
    return async (domain, context) => {
      const search = { base, filter, values: { domain }, attributes: names, limit: 2 };
      return ldapFields(await call("ldap.search", [pool, search], context), named);
    };
  }
  return async (domain, { deadline }) => {
    const found = await scripts.run({ script, entry: "domain", args: [{ domain }], deadline });
    return onlyRow([found]);
  };
}

function recordOf(fields: Fields): DomainRecordConfig {
  try {
    return readDomainRecord(normalised(fields));
  } catch (cause) {
    throw new InvalidRecord(`the record is not valid: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

/**
 * Reads records from the site's database, directory or script.
 *
 * @param functions of the pools, which the source has for itself
 */
export function createReadRecord(
  source: SourceConfig,
  functions: HostFunctions,
  scripts: Pick<ScriptRunner, "run">,
): ReadRecord {
  const read = readFields(source, functions, scripts);
  const attempt = async (domain: string): Promise<Fields | undefined> => {
    const deadline = steadyClock.now() + source.timeout;
    return read(domain, { deadline, signal: AbortSignal.timeout(source.timeout) });
  };
  return async (domain: string): Promise<KnownDomain | undefined> => {
    const unicode = domainToUnicode(domain);
    // The site may store internationalised domains in either form.
    const fields =
      (await attempt(domain)) ?? (unicode === domain || unicode === "" ? undefined : await attempt(unicode));
    if (fields === undefined) return undefined;
    const found = domainOfRecord(recordOf(fields), "source");
    if (found.name !== domain && !found.aliases.includes(domain))
      throw new InvalidRecord("the source returned the record of another domain");
    return found;
  };
}
