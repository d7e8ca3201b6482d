export { type Condition, type ConditionProblem, compileCondition, type FactReader } from "./condition.ts";
export {
  attributeFactPrefix,
  domainAttributeFactPrefix,
  type FactValue,
  factType,
  isPolicyFact,
  type PolicyFact,
  policyFacts,
  requestAttributeFactPrefix,
} from "./facts.ts";
export { type PolicySets, type RawSets, readSets } from "./sets.ts";
