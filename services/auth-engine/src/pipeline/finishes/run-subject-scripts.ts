import { isIP } from "node:net";
import type { AuthDecision } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/errors";
import { attributesOf } from "../../scripts/results.ts";
import type { SubjectVerdict } from "../../scripts/site-scripts.ts";
import type { Finish } from "../step.ts";

/** Contract, attribute-header rules: what a directory set is not overwritten, and only a success has attributes. */
function afterVerdict(decision: AuthDecision, { deny, message, attributes, upstream }: SubjectVerdict): AuthDecision {
  const told = message === undefined ? {} : { message };
  if (decision.outcome === "fail") return { ...decision, ...told };
  if (decision.outcome !== "ok") return decision;
  if (deny === true) return { outcome: "fail", reason: "script", memoryCache: decision.memoryCache, ...told };
  if (upstream !== undefined && isIP(upstream.address) === 0) {
    throw new AppError("SCRIPT_FAILED", { detail: "the address of an upstream must be an IP address" });
  }
  return {
    ...decision,
    attributes: { ...attributesOf(attributes), ...decision.attributes },
    ...(upstream === undefined ? {} : { upstream }),
  };
}

/** The site's scripts after a directory's answer: each may deny it, add attributes, or choose the mail server. */
export const runSubjectScripts: Finish = {
  name: "run-subject-scripts",
  run: (attempt, decision, { deadline }, { scripts }) => {
    if (scripts === undefined || (decision.outcome !== "ok" && decision.outcome !== "fail")) return decision;
    const apply = (verdicts: readonly SubjectVerdict[]): AuthDecision => verdicts.reduce(afterVerdict, decision);
    const verdicts = scripts.subject(attempt, decision, deadline);
    return verdicts instanceof Promise ? verdicts.then(apply) : apply(verdicts);
  },
};
