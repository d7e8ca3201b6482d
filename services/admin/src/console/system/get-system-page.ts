import { SystemReport } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import type { Operator } from "../../operators/operator.ts";
import { createReadAnswer } from "../api-answer.ts";
import { type ConsoleVisit, forOperator, sendPage } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../deps.ts";
import { getEvents } from "../get-events.ts";
import { liveSystem, systemPage } from "./system-page.ts";

const readReport = createReadAnswer(SystemReport);

async function reportFor({ ask }: ConsolePagesDeps, operator: Operator): Promise<SystemReport> {
  const report = await readReport(ask, operator, { operation: "showSystem" });
  if (report === undefined) throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "showSystem rejected the request" });
  return report;
}

/** `GET /console/system`, which works even while other services are stopped. */
export function getSystemPage(deps: ConsolePagesDeps) {
  const handle = async ({ reply, operator }: ConsoleVisit) =>
    sendPage(deps, reply, systemPage(await reportFor(deps, operator)), operator);
  return forOperator(deps, { route: "consoleSystem", handle });
}

/** `GET /console/system/events` */
export function getSystemEvents(deps: ConsolePagesDeps) {
  return getEvents(deps, { page: "system", render: async (operator) => liveSystem(await reportFor(deps, operator)) });
}
