import { isIP } from "node:net";
import type { AuthDecision } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { withRisk } from "../../facts/risk.ts";
import { attributesOf } from "../../scripts/results.ts";
import type { SubjectVerdict } from "../../scripts/site-scripts.ts";
import type { Finalizer } from "../step.ts";

/** Only a success has attributes, and a script does not overwrite what the backend set. */
function afterVerdict(decision: AuthDecision, { deny, message, attributes, upstream }: SubjectVerdict): AuthDecision {
  const messageFields = message === undefined ? {} : { message };
  if (decision.outcome === "fail") return { ...decision, ...messageFields };
  if (decision.outcome !== "ok") return decision;
  if (deny === true) return { outcome: "fail", reason: "script", memoryCache: decision.memoryCache, ...messageFields };
  if (upstream !== undefined && isIP(upstream.address) === 0) {
    throw new AppError("SCRIPT_FAILED", { detail: "the address of an upstream must be an IP address" });
  }
  return {
    ...decision,
    attributes: { ...attributesOf(attributes), ...decision.attributes },
    ...(upstream === undefined ? {} : { upstream }),
  };
}

/**
 * Runs the site's subject scripts after the backend's answer. Each may deny, add attributes or select the mail server.
 */
export const runSubjectScripts: Finalizer = {
  name: "run-subject-scripts",
  run: (attempt, decision, { deadline, facts }, { scripts }) =>
    (decision.outcome === "ok" || decision.outcome === "fail") && scripts.has("subject")
      ? scripts
          .subject(attempt, withRisk(decision, facts.risk), deadline)
          .then((verdicts) => verdicts.reduce(afterVerdict, decision))
      : decision,
};
