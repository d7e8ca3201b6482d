import type { AuthDecision } from "@postern/shared/contracts";
import type { Catalogues } from "@postern/shared/domain/localisation";
import { errorCodes } from "@postern/shared/platform/errors";
import type { Condition, FactReader, FactValue } from "@postern/shared/platform/policies";
import type { Finalizer } from "../pipeline/step.ts";
import { factReader, type Known, type PolicyFacts, type PolicyOperation } from "./fact-readers.ts";

/** Source of a policy's message; `undefined` keeps that of the answer. */
export type MessageSource =
  | { readonly from: "literal"; readonly text: string }
  | { readonly from: "attribute"; readonly fact: string; readonly fallback: string }
  | { readonly from: "i18n"; readonly key: string; readonly fallback: string; readonly language: string | undefined };

/** `language` is set only for messages from a catalogue; it becomes Content-Language. */
interface RenderedMessage {
  readonly message?: string;
  readonly language?: string;
}

/** The limit counts characters, not bytes; longer messages are cut. */
const maxLength = 256;

/** A text of the site in one line, cut to what a header may hold. */
export function plainMessage(text: string): RenderedMessage {
  // Control characters could end a header, or hide something in a log.
  const line = text.replaceAll(/\p{Cc}+/gu, " ").trim();
  if (line === "") return {};
  return { message: line.length <= maxLength ? line : Array.from(line).slice(0, maxLength).join("") };
}

function valueText(value: FactValue | undefined): string {
  if (value === undefined) return "";
  return typeof value === "object" ? value.join(", ") : String(value);
}

function renderMessage(
  source: MessageSource | undefined,
  read: FactReader,
  acceptLanguage: string | undefined,
  catalogues: Catalogues,
): RenderedMessage {
  if (source === undefined) return {};
  if (source.from === "literal") return plainMessage(source.text);
  if (source.from === "attribute") return plainMessage(valueText(read(source.fact)) || source.fallback);
  const found = catalogues.find(source.key, { fixed: source.language, acceptLanguage });
  return found === undefined
    ? plainMessage(source.fallback)
    : { ...plainMessage(found.text), language: found.language };
}

export const policyEffects = ["permit", "deny", "tempfail"] as const;
export type PolicyEffect = (typeof policyEffects)[number];
export const policyModes = ["enforce", "observe"] as const;
export type PolicyMode = (typeof policyModes)[number];

/** One entry of `auth.policy.policies`. */
export interface PolicyRule {
  readonly name: string;
  readonly operations: ReadonlySet<PolicyOperation>;
  readonly condition: Condition;
  readonly effect: PolicyEffect;
  readonly reason: string | undefined;
  readonly message: MessageSource | undefined;
}

/** A policy that matched, and its effect, applied or observed only. */
export interface AppliedPolicy {
  readonly session: string;
  readonly mode: PolicyMode;
  readonly rule: string;
  readonly effect: PolicyEffect;
  readonly reason: string | undefined;
  readonly before: AuthDecision["outcome"];
  readonly after: AuthDecision["outcome"];
}

/** `auth.policy`, compiled. */
export interface PolicySettings {
  readonly mode: PolicyMode;
  readonly rules: readonly PolicyRule[];
  readonly catalogues: Catalogues;
}

interface PoliciesDeps extends PolicySettings {
  readonly onApplied: (applied: AppliedPolicy) => void;
}

/**
 * A denial gets the policy's message, if it has one. A temporary failure stays one: it is unknown whether the password
 * was right, so no policy can turn it into a denial.
 */
function fits(effect: PolicyEffect, decision: AuthDecision): boolean {
  return effect !== "deny" || decision.outcome !== "tempfail";
}

function withWords<T extends AuthDecision>(decision: T, words: RenderedMessage): T {
  return words.message === undefined ? decision : { ...decision, ...words };
}

function decisionAfter({ effect, name }: PolicyRule, decision: AuthDecision, words: RenderedMessage): AuthDecision {
  if (effect === "permit") return decision;
  if (effect === "tempfail") {
    const code = decision.outcome === "tempfail" ? decision.code : "POLICY_TEMPFAIL";
    const message = decision.outcome === "tempfail" ? decision.message : errorCodes.POLICY_TEMPFAIL.publicMessage;
    return withWords({ outcome: "tempfail", code, message }, words);
  }
  if (decision.outcome === "fail" || decision.outcome === "blocked") return withWords(decision, words);
  const memoryCache = decision.outcome === "ok" ? decision.memoryCache : "miss";
  return withWords({ outcome: "fail", reason: "policy", policy: name, memoryCache }, words);
}

/** Policies in order; the first that matches decides. A policy never admits a user who was refused. */
export function createPolicies({ mode, rules, catalogues, onApplied }: PoliciesDeps) {
  const ofOperation = (operation: PolicyOperation): readonly PolicyRule[] =>
    rules.filter(({ operations }) => operations.has(operation));
  const byOperation: Readonly<Record<PolicyOperation, readonly PolicyRule[]>> = {
    authenticate: ofOperation("authenticate"),
    lookup: ofOperation("lookup"),
    "list-accounts": [],
    auth_policy: ofOperation("auth_policy"),
  };
  const outcomeOf = (rule: PolicyRule, known: Known, read: FactReader): AuthDecision => {
    const { decision, attempt } = known;
    const words = renderMessage(rule.message, read, attempt.acceptLanguage, catalogues);
    return decisionAfter(rule, decision, words);
  };
  const ruleFor = (known: Known): PolicyRule | undefined => {
    const read = factReader(known);
    return byOperation[known.attempt.operation].find(
      ({ effect, condition }) => fits(effect, known.decision) && condition(read),
    );
  };
  const applied = (rule: PolicyRule | undefined, known: Known): AuthDecision => {
    if (rule === undefined) return known.decision;
    const { decision, attempt } = known;
    const after = outcomeOf(rule, known, factReader(known));
    const { name, effect, reason } = rule;
    const { session } = attempt;
    onApplied({ session, mode, rule: name, effect, reason, before: decision.outcome, after: after.outcome });
    return mode === "enforce" ? after : decision;
  };
  const applyKnowing = async (known: Known, hasSecondFactor: () => Promise<boolean>): Promise<AuthDecision> => {
    try {
      known.facts.hasSecondFactor = await hasSecondFactor();
    } catch (thrown) {
      if (mode === "observe") return known.decision;
      throw thrown;
    }
    return applied(ruleFor(known), known);
  };
  return {
    /**
     * The decision after the first policy that matches; with `observe`, always the same decision. A promise only if a
     * policy needs to know about the account's second factor, which requires a query to its backend.
     *
     * @throws AppError if that backend cannot answer and the policies are enforced: no decision is possible then.
     */
    apply: (known: Known): AuthDecision | Promise<AuthDecision> => {
      const rule = ruleFor(known);
      const { isSecondFactorWanted = false, hasSecondFactor, accountHasSecondFactor } = known.facts;
      const mustAsk = isSecondFactorWanted && hasSecondFactor === undefined && accountHasSecondFactor !== undefined;
      return mustAsk ? applyKnowing(known, accountHasSecondFactor) : applied(rule, known);
    },
  };
}

export type Policies = ReturnType<typeof createPolicies>;

/** Applies the site's policies last, whether the decision came from a backend or from a cache. */
export const applyPolicies: Finalizer<PolicyFacts, { readonly policies: Policies | undefined }> = {
  name: "apply-policies",
  run: (attempt, decision, { facts }, { policies }) =>
    policies === undefined ? decision : policies.apply({ attempt, decision, facts }),
};
