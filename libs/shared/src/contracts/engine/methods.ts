import { type Static, Type } from "typebox";
import { engineMethod } from "../define.ts";
import { count, flag, oneOf, optionalCount, optionalFlag, optionalText, text } from "../schema.ts";

/** Additional names and cache keys from a site's script for a flush. */
export const CacheFlushScriptReply = Type.Object({
  accounts: Type.Array(Type.String({ minLength: 1, maxLength: 1024 }), {
    maxItems: 64,
    description: "Other names of the account, which are flushed too.",
  }),
  cacheKeys: Type.Array(Type.String({ pattern: "^[A-Za-z0-9_-]{43}$" }), {
    maxItems: 1000,
    description: "Digests of keys of the script module `cache`.",
  }),
});
export type CacheFlushScriptReply = Static<typeof CacheFlushScriptReply>;

/** Runs `cache_flush` of `auth.backends.lua.backend.default.cache_flush_script_path`. Fails as the script does. */
export const cacheFlushScript = engineMethod(
  "cache-flush-script",
  Type.Object({
    session: Type.String({ minLength: 1, maxLength: 64 }),
    user: text("User name as the operator entered it.", { minLength: 1, maxLength: 1024 }),
  }),
  CacheFlushScriptReply,
);

const LentFunction = oneOf("sql.query", "sql.execute", "sql.transaction", "ldap.search");

/** Functions of script modules that need the backends' pools, which only engines have. */
export const lentScriptFunctions = LentFunction.anyOf.map(({ const: name }) => name);

/** Calls a function of a script module for a script that runs in another service. */
export const scriptModule = engineMethod(
  "script-module",
  Type.Object({
    script: text("Path of the script, for logs.", { minLength: 1, maxLength: 4096 }),
    function: LentFunction,
    args: Type.Array(Type.Unknown(), { maxItems: 8, description: "Arguments of the script, as Lua values." }),
  }),
  Type.Union([
    Type.Object({ outcome: Type.Literal("ok"), value: Type.Optional(Type.Unknown({ description: "A Lua value." })) }),
    Type.Object({ outcome: Type.Literal("error"), message: text("Error message for the script.") }),
  ]),
);

/** Addresses in one request to locate them. */
export const maxLocated = 256;

/** Where an address is, as the files of `auth.risk` say. */
export const AddressPlace = Type.Object({
  country: optionalText("ISO 3166-1 code. Absent if unknown.", { pattern: "^[A-Z]{2}$" }),
  system: optionalCount("Number of the autonomous system. Absent if unknown.", 1),
  owner: optionalText("Name of the organisation of the autonomous system. Absent if unknown.", { maxLength: 64 }),
});
export type AddressPlace = Static<typeof AddressPlace>;

/** Only engines read the files of `auth.risk`. Engines of an earlier version do not serve it. */
export const locateAddresses = engineMethod(
  "locate-addresses",
  Type.Object({ addresses: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: maxLocated }) }),
  Type.Object({
    isConfigured: flag("Whether `auth.risk.city_file` or `system_file` is configured."),
    places: Type.Array(AddressPlace, { description: "In the order of the addresses." }),
  }),
  { repeatable: true },
);

/**
 * The record of a domain that the source of `auth.domains` knows, for services that do not query it. Engines of an earlier version do not
 * serve it.
 */
export const findDomain = engineMethod(
  "find-domain",
  Type.Object({ domain: text("Name or alias, with A-labels and in lower case.", { minLength: 1, maxLength: 253 }) }),
  Type.Object({
    record: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "With the keys of `auth.domains.records`. Absent: the source does not know the domain.",
      }),
    ),
    isInvalid: optionalFlag("The source returned what is no record of the domain: it is undecidable."),
  }),
  { repeatable: true },
);

/** Characters of a configuration that is to be rehearsed. */
export const maxRehearsedText = 262_144;

/**
 * Decides the recorded sign-ins again, by the rules in effect and by those of another configuration, in a thread of the engine that receives
 * this. How far it is, and its result, is in Redis. Engines of an earlier version do not serve it.
 */
export const beginRehearsal = engineMethod(
  "begin-rehearsal",
  Type.Object({
    id: text("GUID of the rehearsal.", { minLength: 1, maxLength: 64 }),
    by: text("The operator.", { maxLength: 1024 }),
    configuration: text("The other configuration, in YAML.", { maxLength: maxRehearsedText }),
    sinceMs: count("Only sign-ins from this time on; 0 for all."),
  }),
  Type.Object({
    outcome: text(
      "begun; busy: another rehearsal runs at this site; no_history: no decision history is recorded, so there is nothing to decide again.",
    ),
  }),
);
