import { type ConditionProblem, compileCondition } from "../../policies/condition.ts";
import { attributeFactPrefix, factType, policyFacts } from "../../policies/facts.ts";
import { type PolicySets, readSets } from "../../policies/sets.ts";
import { messages } from "../messages.ts";
import { nearestName } from "../nearest-name.ts";
import { isSecretName } from "../redact.ts";
import type { Config, PolicyConfig } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

const root = "auth.policy";
/** Operations to which rules apply. Lists of accounts are not among them. */
const operations = ["authenticate", "lookup_identity", "auth_policy"];

type Rule = PolicyConfig["policies"][number];

export function validatePolicy(config: Config, judgement: Judgement): void {
  const { policies, sets: rawSets, localization } = config.auth.policy;
  const sets = readSets(rawSets, `${root}.sets`, (path, expected) =>
    judgement.problem(path, messages.mustBe(expected)),
  );
  const seen = new Set<string>();
  policies.forEach((rule, index) => {
    const path = `${root}.policies[${index}]`;
    if (seen.has(rule.name)) judgement.problem(`${path}.name`, messages.ruleTwice);
    seen.add(rule.name);
    judgeCondition(rule, path, sets, judgement);
    judgeOperations(rule, path, judgement);
    judgeEffect(rule, `${path}.then`, judgement);
  });
  localization.catalogs.forEach(({ entries }, index) =>
    judgeTexts(entries, `${root}.localization.catalogs[${index}].entries`, judgement),
  );
}

function didYouMean(name: string, known: readonly string[]): string | undefined {
  const near = nearestName(name, known);
  return near === undefined ? undefined : messages.didYouMean(near);
}

function reasonOf({ kind, text }: ConditionProblem): string {
  if (kind === "unknown_fact") return messages.unknownFact(text);
  return kind === "unknown_operator" ? messages.unknownOperator(text) : messages.mustBe(text);
}

function judgeCondition(rule: Rule, path: string, sets: PolicySets, judgement: Judgement): void {
  const { if: condition } = rule;
  if (typeof condition !== "object" || condition === null || Object.keys(condition).length === 0) {
    judgement.problem(`${path}.if`, messages.required);
    return;
  }
  const problem = (found: ConditionProblem): void =>
    judgement.problem(found.path, reasonOf(found), didYouMean(found.text, found.known));
  compileCondition(condition, `${path}.if`, { sets, problem });
}

function judgeOperations(rule: Rule, path: string, { problem }: Judgement): void {
  rule.operations.forEach((name, index) => {
    if (operations.includes(name)) return;
    problem(`${path}.operations[${index}]`, messages.unknownOperation(name), didYouMean(name, operations));
  });
}

function judgeEffect({ then }: Rule, path: string, { problem }: Judgement): void {
  if (then.decision === "") problem(`${path}.decision`, messages.required);
  const { from, text, attribute, i18n_key: key } = then.response_message;
  const at = `${path}.response_message`;
  if (from === "literal" && text === "") problem(`${at}.text`, messages.needsWhen(`${at}.from is literal`));
  if (from === "i18n" && key === "") problem(`${at}.i18n_key`, messages.needsWhen(`${at}.from is i18n`));
  if (from !== "attribute" && from !== "attribute_detail") return;
  if (factType(attribute) === undefined) {
    const near = didYouMean(attribute, Object.keys(policyFacts));
    problem(`${at}.attribute`, messages.unknownFact(attribute), near);
  } else if (attribute.startsWith(attributeFactPrefix) && isSecretName(attribute.slice(attributeFactPrefix.length))) {
    problem(`${at}.attribute`, messages.secretFact);
  }
}

function judgeTexts(entries: unknown, path: string, { problem }: Judgement): void {
  if (typeof entries !== "object" || entries === null) return;
  for (const [name, text] of Object.entries(entries)) {
    if (typeof text !== "string") problem(`${path}.${name}`, messages.mustBe("a string"));
  }
}
