/* oxlint-disable unicorn/no-thenable -- the configuration has a key of this name; its value is not a function */

import type { AuthDecision } from "@postern/shared/contracts";
import type { Config, PolicyConfig } from "@postern/shared/platform/config";
import type { Attempt } from "../pipeline/attempt.ts";
import type { PolicyFacts } from "../policy/fact-readers.ts";
import { createPolicies } from "../policy/policies.ts";
import { policySettings } from "../policy/policy-settings.ts";
import type { RecordSource } from "./record-source.ts";
import { hasDomainSource } from "./recorded-domains.ts";
import { type Verdict, verdict, verdictOf } from "./verdict.ts";

/** Messages change no decision, and may read files. */
function withoutMessages(policy: PolicyConfig): PolicyConfig {
  const message = {
    from: "default",
    text: "",
    attribute: "",
    attribute_detail: "",
    i18n_key: "",
    fallback: "",
  } as const;
  return {
    ...policy,
    policies: policy.policies.map((rule) => ({
      ...rule,
      then: { ...rule.then, response_message: { ...rule.then.response_message, ...message } },
    })),
    localization: { ...policy.localization, catalogs: [] },
  };
}

/**
 * The policies of a configuration, for recorded sign-ins. Returns the verdict, or the name of a fact that a condition reads and that was not
 * recorded: then nobody knows what the policies would have decided.
 */
export function createRecordedPolicies(config: Config, { unrecorded: always, unrecordedFacts }: RecordSource) {
  const { policy } = config.auth;
  const unrecorded = hasDomainSource(config) ? { ...always, domain: "auth.domain" } : always;
  let missing = "";
  let applied = "";
  const watched = <Value extends object>(value: Value): Value =>
    new Proxy(value, {
      get: (target, name, receiver): unknown => {
        if (typeof name === "string") missing ||= unrecorded[name] ?? "";
        return Reflect.get(target, name, receiver);
      },
    });
  const { rules, mode, catalogues } = policySettings(withoutMessages(policy), () => "");
  const policies =
    rules.length === 0 || mode === "observe"
      ? undefined
      : createPolicies({ mode, rules, catalogues, onApplied: ({ rule }) => void (applied = rule) });
  const text = JSON.stringify(policy.policies);
  const unknowable = unrecordedFacts.find((name) => text.includes(`"${name}`)) ?? "";
  return (attempt: Attempt, decision: AuthDecision, facts: PolicyFacts): Verdict | string => {
    if (policies === undefined) return verdictOf(decision);
    missing = unknowable;
    applied = "";
    const after = policies.apply({ attempt: watched(attempt), decision: watched(decision), facts: watched(facts) });
    if (missing !== "") return missing;
    if (after instanceof Promise || facts.isSecondFactorWanted === true) return "auth.account.second_factor";
    return after.outcome === decision.outcome ? verdictOf(after) : verdict(verdictOf(after).kind, `policy ${applied}`);
  };
}
