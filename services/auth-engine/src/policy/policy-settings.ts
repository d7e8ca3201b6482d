import { type Catalogue, createCatalogues, withBuiltIn } from "@postern/shared/domain/localisation";
import type { PolicyConfig } from "@postern/shared/platform/config";
import { compileCondition, type PolicySets, readSets } from "@postern/shared/platform/policies";
import { parse } from "yaml";
import { operationNames, type PolicyOperation } from "./fact-readers.ts";
import { type MessageSource, type PolicyRule, type PolicySettings, policyEffects } from "./policies.ts";

type RuleConfig = PolicyConfig["policies"][number];

function refuse(path: string, expected: string): never {
  throw new Error(`${path} must be ${expected}`);
}

/** Operations of a rule that names none. */
const usual: readonly PolicyOperation[] = ["authenticate", "lookup"];
const decided: readonly PolicyOperation[] = [...usual, "auth_policy"];

/**
 * A rule for what Postern verifies may depend on facts about the account, which do not exist where a mail server
 * verifies. It therefore applies there only if it names that operation.
 */
function operationsOf({ operations }: RuleConfig): ReadonlySet<PolicyOperation> {
  if (operations.length === 0) return new Set(usual);
  return new Set(decided.filter((name) => operations.includes(operationNames[name])));
}

function messageOf({ response_message: message, response_language: language }: RuleConfig["then"]) {
  const { from, text, attribute, i18n_key: key, fallback } = message;
  const sources: Readonly<Record<typeof from, MessageSource | undefined>> = {
    default: undefined,
    literal: { from: "literal", text },
    attribute: { from: "attribute", fact: attribute, fallback },
    attribute_detail: { from: "attribute", fact: attribute, fallback },
    i18n: { from: "i18n", key, fallback, language: language === "" ? undefined : language },
  };
  return sources[from];
}

function ruleOf(config: RuleConfig, path: string, sets: PolicySets): PolicyRule {
  const { name, then } = config;
  const problem = (found: { readonly path: string; readonly text: string }): never => refuse(found.path, found.text);
  const effect = policyEffects.find((known) => known === then.decision) ?? refuse(`${path}.then.decision`, "set");
  return {
    name,
    effect,
    operations: operationsOf(config),
    condition: compileCondition(config.if, `${path}.if`, { sets, problem }),
    reason: then.reason === "" ? undefined : then.reason,
    message: messageOf(then),
  };
}

function textsOf(value: unknown, namespace: string, path: string): ReadonlyMap<string, string> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return refuse(path, "a mapping of keys to strings");
  const prefix = namespace === "" ? "" : `${namespace}.`;
  return new Map(
    Object.entries(value).map(([name, text]: [string, unknown]) => [
      `${prefix}${name}`,
      typeof text === "string" ? text : refuse(`${path}.${name}`, "a string"),
    ]),
  );
}

type CatalogueConfig = PolicyConfig["localization"]["catalogs"][number];

/** @throws Error if its file cannot be read or contains no texts */
export function catalogueOf(config: CatalogueConfig, path: string, readFile: (file: string) => string): Catalogue {
  const { namespace, language, entries, file } = config;
  const fromFile: unknown = file === "" ? {} : parse(readFile(file));
  const texts = new Map([
    ...textsOf(fromFile, namespace, `${path}.file`),
    ...textsOf(entries, namespace, `${path}.entries`),
  ]);
  return { language, texts };
}

/**
 * Compiles the policies and reads the catalogues.
 *
 * @throws Error that names the key if a catalogue's file cannot be read or contains no texts
 */
export function policySettings(config: PolicyConfig, readFile: (file: string) => string): PolicySettings {
  const { mode, policies, sets: setsConfig, localization } = config;
  const root = "auth.policy";
  const sets = readSets(setsConfig, `${root}.sets`, refuse);
  const own = localization.catalogs.map((catalogue, index) =>
    catalogueOf(catalogue, `${root}.localization.catalogs[${index}]`, readFile),
  );
  return {
    mode,
    rules: policies.map((rule, index) => ruleOf(rule, `${root}.policies[${index}]`, sets)),
    catalogues: createCatalogues(withBuiltIn(own, localization.default_language), localization.default_language),
  };
}
