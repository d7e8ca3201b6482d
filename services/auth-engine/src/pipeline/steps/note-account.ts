import type { Directory } from "../../directories/directory.ts";
import { secondFactorQuestion } from "../../mfa-artefacts/has-second-factor.ts";
import type { Attempt } from "../attempt.ts";
import type { StepContext } from "../step.ts";

/**
 * What later steps and policies may ask about an account that a directory answered for. A cached answer notes the same:
 * a rule must not hold less because the answer was remembered.
 */
export function noteAccount(
  directory: Directory,
  groups: readonly string[] | undefined,
  attempt: Attempt,
  context: StepContext,
): void {
  const { facts } = context;
  facts.accountKnown = true;
  facts.directory = directory.name;
  facts.groups = groups;
  facts.accountHasSecondFactor = secondFactorQuestion(directory, attempt, context);
}
