import { Attacks, SignInSeries, SystemReport } from "@postern/shared/contracts";
import { createRequireAnswer } from "../api-answer.ts";
import { type ConsoleVisit, type PageAnswer, queryOf } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../context.ts";
import { linksOf } from "../shown-values.ts";
import { isOverviewRange, overviewPage } from "./overview-page.ts";

/** As many as a phone can show. */
const steps = "90";

const readSeries = createRequireAnswer(SignInSeries);
const readSystem = createRequireAnswer(SystemReport);
const readAttacks = createRequireAnswer(Attacks);

/** `GET /console/overview` */
export async function getOverview({ ask, handles }: ConsolePagesDeps, visit: ConsoleVisit): Promise<PageAnswer> {
  const { request, operator } = visit;
  const wanted = queryOf(request, "range") ?? "";
  const range = isOverviewRange(wanted) ? wanted : "1h";
  const [series, system, attacks] = await Promise.all([
    readSeries(ask, operator, { operation: "showSeries", query: { range, steps } }),
    readSystem(ask, operator, { operation: "showSystem" }),
    readAttacks(ask, operator, { operation: "showAttacks", query: { minutes: "1" } }),
  ]);
  return overviewPage({ range, series, system, attacks, operator, links: linksOf(handles, operator) });
}
