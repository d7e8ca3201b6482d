import type { AuthDecision } from "@postern/shared/contracts";
import type { Attempt } from "../pipeline/attempt.ts";
import type { ControlFacts } from "./control-facts.ts";

export interface ControlContext {
  readonly signal: AbortSignal;
  /** What the controls found out, for policies. */
  readonly facts: ControlFacts;
}

/**
 * Looks at a login before any directory is asked. Undefined: nothing against it. A denial or a temporary failure ends
 * the decision.
 */
export interface Control {
  readonly name: ControlName;
  check(attempt: Attempt, context: ControlContext): Promise<AuthDecision | undefined> | AuthDecision | undefined;
}

/** Names of `auth.controls.enabled` that are controls here. */
export const controlNames = ["tls_encryption", "relay_domains", "rbl"] as const;
export type ControlName = (typeof controlNames)[number];
