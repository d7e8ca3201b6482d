import { isIP } from "node:net";
import type { AuthDecision } from "@postern/shared/contracts";
import type { Assessment } from "@postern/shared/domain/risk";
import { AppError } from "@postern/shared/platform/errors";
import { type AccountFacts, type Finalizer, type Step, withRisk } from "../pipeline/step.ts";
import { attributesOf } from "./results.ts";
import type { EnvironmentVerdict, SiteScripts, SubjectVerdict } from "./site-scripts.ts";

export interface ScriptsDep {
  readonly scripts: Pick<SiteScripts, "has" | "environment" | "subject">;
}

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
export const runEnvironmentScripts: Step<AccountFacts, ScriptsDep> = {
  name: "run-environment-scripts",
  run: (attempt, { deadline }, { scripts }) =>
    attempt.operation === "authenticate" && scripts.has("environment")
      ? scripts.environment(attempt, deadline).then(denialOf)
      : undefined,
};

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
export const runSubjectScripts: Finalizer<AccountFacts & { readonly risk?: Assessment }, ScriptsDep> = {
  name: "run-subject-scripts",
  run: (attempt, decision, { deadline, facts }, { scripts }) =>
    (decision.outcome === "ok" || decision.outcome === "fail") && scripts.has("subject")
      ? scripts
          .subject(attempt, withRisk(decision, facts.risk), deadline)
          .then((verdicts) => verdicts.reduce(afterVerdict, decision))
      : decision,
};
