import type { Backend } from "../../backends/backend.ts";
import type { Attempt } from "../../decision/attempt.ts";
import { secondFactorLookup } from "../../mfa-credentials/has-second-factor.ts";
import type { StepContext } from "../step.ts";

/**
 * Notes what later steps and policies may need to know about an account that a backend found. A cached answer notes the
 * same, so policies work the same for it.
 */
export function noteAccount(
  backend: Backend,
  groups: readonly string[] | undefined,
  attempt: Attempt,
  context: StepContext,
): void {
  const { facts } = context;
  facts.accountKnown = true;
  facts.backendName = backend.name;
  facts.groups = groups;
  facts.accountHasSecondFactor = secondFactorLookup(backend, attempt, context);
}
