import { normalisedProtocol } from "../../contracts/auth/request.ts";
import { isMapping, type Mapping } from "../json/index.ts";
import { canonicalName, nameForms } from "../net/name-forms.ts";
import { type FactValue, factType, policyFacts } from "./facts.ts";
import { type Compiled, isOperator, type OperatorName, operatorNames, operators } from "./operators.ts";
import type { PolicySets } from "./sets.ts";

/** The value of a fact, or undefined while it is not known. */
export type FactReader = (name: string) => FactValue | undefined;
export type Condition = (read: FactReader) => boolean;

/** What is wrong with a condition; `near` lists the names that are valid there. */
export interface ConditionProblem {
  readonly path: string;
  readonly kind: "unknown_fact" | "unknown_operator" | "expected";
  /** The unknown name, or what was expected. */
  readonly text: string;
  readonly known: readonly string[];
}

export interface ConditionContext {
  readonly sets: PolicySets;
  readonly problem: (problem: ConditionProblem) => void;
}

const maxDepth = 16;
const never: Condition = () => false;
const factNames: readonly string[] = Object.keys(policyFacts);

function expected(path: string, text: string): ConditionProblem {
  return { path, kind: "expected", text, known: [] };
}

interface Position {
  readonly path: string;
  readonly depth: number;
}

/** The place of a part of a condition. */
function below({ path, depth }: Position, part: string): Position {
  return { path: `${path}${part}`, depth: depth + 1 };
}

function compileList(raw: unknown, place: Position, context: ConditionContext): readonly Condition[] {
  if (Array.isArray(raw) && raw.length > 0)
    return raw.map((item, index) => compileAt(item, below(place, `[${index}]`), context));
  context.problem(expected(place.path, "a list of conditions"));
  return [];
}

type Spelling = (text: string) => string;

/** Operands and the values of sets in the one spelling in which the fact is compared; the name of a set is no value. */
function compileSpelled(
  name: Exclude<OperatorName, "matches">,
  operand: unknown,
  { strings, networks }: PolicySets,
  spelling: Spelling,
): Compiled {
  const { compile } = operators[name];
  const spelled = (one: unknown): unknown => (typeof one === "string" ? spelling(one) : one);
  const sets = { networks, strings: new Map([...strings].map(([set, values]) => [set, values.map(spelling)])) };
  if (Array.isArray(operand)) return compile(operand.map(spelled), sets);
  return compile(name === "eq" || name === "ne" ? spelled(operand) : operand, sets);
}

/** The fact is in lower case, so operands are lower-cased too. */
function compileForProtocol(name: OperatorName, operand: unknown, sets: PolicySets): Compiled {
  if (name !== "matches") return compileSpelled(name, operand, sets, normalisedProtocol);
  return operators.matches.compile(typeof operand === "string" ? `(?i)${operand}` : operand);
}

/** Names are compared in one form of their domain; a pattern may describe any form. */
function compileForName(name: OperatorName, operand: unknown, sets: PolicySets): Compiled {
  const isPattern = name === "matches";
  const test = isPattern ? operators.matches.compile(operand) : compileSpelled(name, operand, sets, canonicalName);
  if (typeof test === "string") return test;
  return (value) => {
    if (typeof value !== "string") return test(value);
    return isPattern ? nameForms(value).some((form) => test(form)) : test(canonicalName(value));
  };
}

const compileFor: Readonly<Partial<Record<string, typeof compileForName>>> = {
  "request.protocol": compileForProtocol,
  "request.username": compileForName,
  "auth.account.name": compileForName,
};

function compileComparison(raw: Mapping, place: Position, { sets, problem }: ConditionContext): Condition {
  const { attribute, ...rest } = raw;
  const [name, ...more] = Object.keys(rest);
  if (typeof attribute !== "string" || name === undefined || more.length > 0) {
    problem(expected(place.path, "an attribute with one operator"));
    return never;
  }
  const type = factType(attribute);
  if (type === undefined) {
    problem({ path: `${place.path}.attribute`, kind: "unknown_fact", text: attribute, known: factNames });
    return never;
  }
  const path = `${place.path}.${name}`;
  const operand = rest[name];
  if (name === "exists") {
    if (typeof operand !== "boolean") problem(expected(path, "true or false"));
    return (read) => (read(attribute) !== undefined) === operand;
  }
  if (!isOperator(name)) {
    problem({ path, kind: "unknown_operator", text: name, known: operatorNames });
    return never;
  }
  const { types, compile } = operators[name];
  if (!types.some((fits) => fits === type)) {
    problem(expected(path, `an operator for a ${type}, which is the type of ${attribute}`));
    return never;
  }
  const test = compileFor[attribute]?.(name, operand, sets) ?? compile(operand, sets);
  if (typeof test === "string") {
    problem(expected(path, test));
    return never;
  }
  return (read) => {
    const value = read(attribute);
    return value !== undefined && test(value);
  };
}

function compileGroup(name: string, raw: unknown, place: Position, context: ConditionContext): Condition | undefined {
  switch (name) {
    case "all": {
      const parts = compileList(raw, place, context);
      return (read) => parts.every((part) => part(read));
    }
    case "any": {
      const parts = compileList(raw, place, context);
      return (read) => parts.some((part) => part(read));
    }
    case "not": {
      const part = compileAt(raw, place, context);
      return (read) => !part(read);
    }
    case "always":
      if (raw !== true) context.problem(expected(place.path, "true"));
      return () => true;
    default:
      return undefined;
  }
}

function compileAt(raw: unknown, place: Position, context: ConditionContext): Condition {
  if (place.depth > maxDepth) {
    context.problem(expected(place.path, `at most ${maxDepth} levels of conditions`));
    return never;
  }
  if (!isMapping(raw)) {
    context.problem(expected(place.path, "a condition"));
    return never;
  }
  if (Object.hasOwn(raw, "attribute")) return compileComparison(raw, place, context);
  const [name, ...more] = Object.keys(raw);
  const group =
    name === undefined || more.length > 0
      ? undefined
      : compileGroup(name, raw[name], below(place, `.${name}`), context);
  if (group !== undefined) return group;
  context.problem(expected(place.path, "one of all, any, not, always, or an attribute with an operator"));
  return never;
}

/**
 * Compiles a policy condition: `{all: […]}`, `{any: […]}`, `{not: …}`, `{always: true}` or `{attribute, <operator>}`. Problems are reported
 * to `context.problem`, and the result is then unusable. A comparison with an absent fact is false.
 */
export function compileCondition(raw: unknown, path: string, context: ConditionContext): Condition {
  return compileAt(raw, { path, depth: 0 }, context);
}
