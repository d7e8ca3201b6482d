import { RE2JS } from "re2js";
import type { CidrSet } from "../net/cidr-set.ts";
import type { FactType, FactValue } from "./facts.ts";
import { cidrSetOf, type PolicySets } from "./sets.ts";

/** Whether a fact's value satisfies the operator; or, as text, what the operand must be. */
export type Compiled = ((value: FactValue) => boolean) | string;

interface Operator {
  readonly types: readonly FactType[];
  readonly compile: (operand: unknown, sets: PolicySets) => Compiled;
}

const maxPatternLength = 1024;
/** Only the first part of a longer text is matched, because clients choose the length. */
const maxMatchedLength = 4096;

function isScalar(operand: unknown): operand is string | number | boolean {
  return typeof operand === "string" || typeof operand === "number" || typeof operand === "boolean";
}

/** A list of texts or numbers, or the name of a set of texts. */
function valuesOf(operand: unknown, sets: PolicySets): ReadonlySet<unknown> | string {
  if (typeof operand === "string") {
    const set = sets.strings.get(operand);
    return set === undefined ? "a list, or the name of an entry of sets.strings" : new Set(set);
  }
  return Array.isArray(operand) && operand.length > 0 && operand.every(isScalar)
    ? new Set(operand)
    : "a list of values";
}

function inValues(operand: unknown, sets: PolicySets, expected: boolean): Compiled {
  const values = valuesOf(operand, sets);
  return typeof values === "string" ? values : (value) => values.has(value) === expected;
}

function listTest(test: (fact: readonly string[], values: ReadonlySet<unknown>) => boolean): Operator["compile"] {
  return (operand, sets) => {
    const values = valuesOf(operand, sets);
    return typeof values === "string" ? values : (fact) => Array.isArray(fact) && test(fact, values);
  };
}

function numberTest(test: (fact: number, bound: number) => boolean): Operator["compile"] {
  return (operand) =>
    typeof operand === "number" && Number.isFinite(operand)
      ? (fact) => typeof fact === "number" && test(fact, operand)
      : "a number";
}

function matches(operand: unknown): Compiled {
  if (typeof operand !== "string" || operand.length > maxPatternLength) return "a regular expression (RE2)";
  try {
    const pattern = RE2JS.compile(operand);
    return (fact) => typeof fact === "string" && pattern.matcher(fact.slice(0, maxMatchedLength)).find();
  } catch {
    return "a regular expression (RE2)";
  }
}

function networksOf(operand: unknown, sets: PolicySets): CidrSet | undefined {
  if (typeof operand === "string" && sets.networks.has(operand)) return sets.networks.get(operand);
  const entries: unknown = typeof operand === "string" ? [operand] : operand;
  return Array.isArray(entries) && entries.length > 0 ? cidrSetOf(entries.map(String)) : undefined;
}

function cidrContains(operand: unknown, sets: PolicySets): Compiled {
  const networks = networksOf(operand, sets);
  return networks === undefined
    ? "networks, or the name of an entry of sets.networks"
    : (fact) => typeof fact === "string" && networks.has(fact);
}

const equality = (expected: boolean): Operator => ({
  types: ["flag", "number", "text"],
  compile: (operand) => (isScalar(operand) ? (fact) => (fact === operand) === expected : "a value"),
});

/** Operators of a condition. `exists` is handled by the condition, because only it sees absent facts. */
export const operators = {
  is: {
    types: ["flag"],
    compile: (operand) => (typeof operand === "boolean" ? (fact) => fact === operand : "true or false"),
  },
  eq: equality(true),
  ne: equality(false),
  in: { types: ["number", "text"], compile: (operand, sets) => inValues(operand, sets, true) },
  not_in: { types: ["number", "text"], compile: (operand, sets) => inValues(operand, sets, false) },
  matches: { types: ["text"], compile: matches },
  contains: {
    types: ["texts"],
    compile: (operand) =>
      typeof operand === "string" ? (fact) => Array.isArray(fact) && fact.includes(operand) : "a string",
  },
  contains_any: { types: ["texts"], compile: listTest((fact, values) => fact.some((item) => values.has(item))) },
  contains_all: {
    types: ["texts"],
    compile: listTest((fact, values) => [...values].every((value) => fact.some((item) => item === value))),
  },
  contains_none: { types: ["texts"], compile: listTest((fact, values) => !fact.some((item) => values.has(item))) },
  gt: { types: ["number"], compile: numberTest((fact, bound) => fact > bound) },
  gte: { types: ["number"], compile: numberTest((fact, bound) => fact >= bound) },
  lt: { types: ["number"], compile: numberTest((fact, bound) => fact < bound) },
  lte: { types: ["number"], compile: numberTest((fact, bound) => fact <= bound) },
  cidr_contains: { types: ["text"], compile: cidrContains },
} as const satisfies Record<string, Operator>;

export type OperatorName = keyof typeof operators;

export function isOperator(name: string): name is OperatorName {
  return Object.hasOwn(operators, name);
}

export const operatorNames: readonly string[] = [...Object.keys(operators), "exists"];
