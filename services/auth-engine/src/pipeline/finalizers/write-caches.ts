import type { Ok } from "@postern/shared/contracts";
import type { Attempt } from "../../decision/attempt.ts";
import type { Facts } from "../../facts/facts.ts";
import type { StepDeps } from "../step.ts";

/** Caches what a backend verified, unless the account was flushed in between. Never rejects. */
export async function writeCaches(
  attempt: Attempt,
  decision: Ok,
  { cache, backendName: backend }: Facts,
  { resultCaches }: StepDeps,
): Promise<void> {
  if (resultCaches === undefined || cache === undefined || backend === undefined) return;
  await resultCaches.write(attempt, { decision, backendName: backend }, cache);
}
