import { SystemReport } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { systemPage } from "../../pages/system-page.ts";
import { createReadAnswer } from "./api-answer.ts";
import { forOperator, sendPage } from "./console-visit.ts";
import type { ConsolePagesDeps } from "./deps.ts";

const readReport = createReadAnswer(SystemReport);

/** `GET /console/system`: also while other services are stopped. */
export function getSystemPage(deps: ConsolePagesDeps) {
  return forOperator(deps, async ({ reply, operator }) => {
    const report = await readReport(deps.ask, operator, { operation: "showSystem" });
    if (report === undefined)
      throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "showSystem rejected the question" });
    return sendPage(deps, reply, systemPage(report), operator);
  });
}
