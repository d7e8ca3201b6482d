import type { Ok } from "@postern/shared/contracts";
import type { Attempt } from "../attempt.ts";
import type { Facts } from "../facts.ts";
import type { StepDeps } from "../step.ts";

/** What a directory verified is kept, unless a flush came meanwhile. Never rejects. */
export function writeCaches(
  attempt: Attempt,
  decision: Ok,
  { cache, directory }: Facts,
  { resultCaches }: StepDeps,
): Promise<void> | undefined {
  if (resultCaches === undefined || cache === undefined || directory === undefined) return undefined;
  return resultCaches.write(attempt, { decision, directory }, cache);
}
