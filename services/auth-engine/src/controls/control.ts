import type { AuthDecision } from "@postern/shared/contracts";
import type { Attempt } from "../decision/attempt.ts";
import type { ControlFacts } from "./control-facts.ts";

export interface ControlContext {
  readonly signal: AbortSignal;
  /** Findings of the controls, for policies. */
  readonly facts: ControlFacts;
}

/**
 * Checks a sign-in before any backend is queried. Undefined means no objection; a denial or a temporary failure ends
 * the decision.
 */
export interface Control {
  readonly name: ControlName;
  check(attempt: Attempt, context: ControlContext): Promise<AuthDecision | undefined> | AuthDecision | undefined;
}

/** Names in `auth.controls.enabled` that belong to this folder. */
export const controlNames = ["tls_encryption", "relay_domains", "rbl"] as const;
export type ControlName = (typeof controlNames)[number];
