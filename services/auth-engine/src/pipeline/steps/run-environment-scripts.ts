import type { AuthDecision } from "@postern/shared/contracts";
import type { EnvironmentVerdict } from "../../scripts/site-scripts.ts";
import type { Step } from "../step.ts";

function denialOf(verdicts: readonly EnvironmentVerdict[]): AuthDecision | undefined {
  const denied = verdicts.find(({ deny }) => deny === true);
  if (denied === undefined) return undefined;
  const { message } = denied;
  return { outcome: "fail", reason: "script", memoryCache: "miss", ...(message === undefined ? {} : { message }) };
}

/**
 * Runs the site's environment scripts before any cache or backend. Each may deny. Lookups skip them, as they skip all
 * controls.
 */
export const runEnvironmentScripts: Step = {
  name: "run-environment-scripts",
  run: (attempt, { deadline }, { scripts }) =>
    attempt.operation === "authenticate" && scripts.has("environment")
      ? scripts.environment(attempt, deadline).then(denialOf)
      : undefined,
};
