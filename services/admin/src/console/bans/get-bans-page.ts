import { Attacks, BanRecordPage, isConsoleAction, pathTo, SignInSeries } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import type { FastifyReply } from "fastify";
import type { Operator } from "../../operators/operator.ts";
import { createReadAnswer } from "../api-answer.ts";
import { type ConsoleVisit, forOperator, queryOf, sendNotice, sendPage } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../context.ts";
import { getEvents } from "../get-events.ts";
import { keptIn } from "../kept-deed.ts";
import { linksOf } from "../shown-values.ts";
import { type BanOrder, bansPage, liveBans } from "./bans-page.ts";

const readBans = createReadAnswer(BanRecordPage);
const readAttacks = createReadAnswer(Attacks);
const readSeries = createReadAnswer(SignInSeries);
/** The chart has the rest. */
const minutes = "1";

function readLive({ ask }: ConsolePagesDeps, operator: Operator) {
  return Promise.all([
    readAttacks(ask, operator, { operation: "showAttacks", query: { minutes } }),
    readSeries(ask, operator, { operation: "showSeries", query: { range: "1h" } }),
  ]);
}

/** `GET /console/bans`: an invalid cursor is a page that does not exist. */
export function getBansPage(deps: ConsolePagesDeps) {
  const { ask } = deps;
  const handle = async ({ request, reply, operator }: ConsoleVisit): Promise<FastifyReply> => {
    const order: BanOrder = queryOf(request, "order") === "asc" ? "asc" : "desc";
    const rule = queryOf(request, "rule")?.trim() ?? "";
    const cursor = queryOf(request, "cursor") ?? "";
    const query = { order, ...(rule !== "" && { rule }), ...(cursor !== "" && { cursor }) };
    const [[attacks, series], bans] = await Promise.all([
      readLive(deps, operator),
      readBans(ask, operator, { operation: "listBansByEnd", query }),
    ]);
    if (attacks === undefined || series === undefined || bans === undefined)
      return sendNotice(deps, reply, "not_found", operator);
    const done = queryOf(request, "done") ?? "";
    const view = {
      attacks,
      series,
      bans,
      order,
      rule,
      done: isConsoleAction(done) ? done : undefined,
      kept: keptIn(deps.handles, { request, operator }),
      operator,
      links: linksOf(deps.handles, operator),
      helpdesk: deps.helpdesk(),
      next: `${pathTo("consoleBans")}?${new URLSearchParams(query).toString()}`,
    };
    return sendPage(deps, reply, bansPage(view), operator);
  };
  return forOperator(deps, { route: "consoleBans", handle });
}

/** `GET /console/bans/events` */
export function getBansEvents(deps: ConsolePagesDeps) {
  const { ask, handles } = deps;
  return getEvents(deps, {
    page: "bans",
    render: async (operator) => {
      const [[attacks, series], bans] = await Promise.all([
        readLive(deps, operator),
        readBans(ask, operator, { operation: "listBansByEnd", query: { limit: "1" } }),
      ]);
      if (attacks === undefined || series === undefined || bans === undefined)
        throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "the requests of the page were rejected" });
      return liveBans({ attacks, series, links: linksOf(handles, operator), total: bans.total });
    },
  });
}
