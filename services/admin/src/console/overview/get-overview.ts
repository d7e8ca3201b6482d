import { Attacks, SignInSeries, SystemReport } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import type { FastifyReply } from "fastify";
import { createReadAnswer } from "../api-answer.ts";
import { type ConsoleVisit, forOperator, queryOf, sendPage } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../context.ts";
import { linksOf } from "../shown-values.ts";
import { isOverviewRange, overviewPage } from "./overview-page.ts";

/** As many as a phone can show. */
const steps = "90";

const readSeries = createReadAnswer(SignInSeries);
const readSystem = createReadAnswer(SystemReport);
const readAttacks = createReadAnswer(Attacks);

/** `GET /console/overview` */
export function getOverview(deps: ConsolePagesDeps) {
  const { ask, handles } = deps;
  const handle = async ({ request, reply, operator }: ConsoleVisit): Promise<FastifyReply> => {
    const wanted = queryOf(request, "range") ?? "";
    const range = isOverviewRange(wanted) ? wanted : "1h";
    const [series, system, attacks] = await Promise.all([
      readSeries(ask, operator, { operation: "showSeries", query: { range, steps } }),
      readSystem(ask, operator, { operation: "showSystem" }),
      readAttacks(ask, operator, { operation: "showAttacks", query: { minutes: "1" } }),
    ]);
    if (series === undefined || system === undefined || attacks === undefined)
      throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "the requests of the page were rejected" });
    const view = { range, series, system, attacks, operator, links: linksOf(handles, operator) } as const;
    return sendPage(deps, reply, overviewPage(view), operator);
  };
  return forOperator(deps, { route: "consoleOverview", handle });
}
