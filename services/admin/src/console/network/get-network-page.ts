import { DecisionHistoryPage, Explanation, isConsoleAction, NetworkReport, pathTo } from "@postern/shared/contracts";
import { canonicalDomain } from "@postern/shared/platform/net";
import type { FastifyReply } from "fastify";
import type { Operator } from "../../operators/operator.ts";
import { createReadAnswer } from "../api-answer.ts";
import { type ConsoleVisit, forOperator, goTo, queryOf, sendNotice, sendPage } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../context.ts";
import { keptIn } from "../kept-deed.ts";
import { linksOf } from "../shown-values.ts";
import { type DomainFilter, networkPage } from "./network-page.ts";

const readExplanation = createReadAnswer(Explanation);
const readNetwork = createReadAnswer(NetworkReport);
const readHistory = createReadAnswer(DecisionHistoryPage);
/** The most that the interface lists. */
const maxRecords = "500";

/** Counts of a network concern all accounts that sign in from there, so operators of one domain do not see them. */
function reportForDomain(network: string, { bans }: Explanation): NetworkReport {
  return { network: network.trim(), rules: [], bans, incomplete: [] };
}

/** `GET /console/network`, with `for`, the handle of an address or a network. Others have no page. */
export function getNetworkPage(deps: ConsolePagesDeps) {
  const { ask, handles, clock } = deps;
  const historyOf = async (operator: Operator, network: string, { domain, isValid }: DomainFilter) => {
    if (!isValid) return { records: [] };
    const query = { network, limit: maxRecords, ...(domain !== "" && { domain }) };
    return readHistory(ask, operator, { operation: "listDecisions", query });
  };
  const show = async ({ request, reply, operator }: ConsoleVisit): Promise<FastifyReply> => {
    const handle = queryOf(request, "for");
    if (handle === undefined) return goTo(reply, pathTo("consoleSearch"));
    const network = handles.read(operator.account, handle);
    if (network === undefined) return sendNotice(deps, reply, "link", operator);
    const typed = (queryOf(request, "domain") ?? "").trim();
    const filter = { handle, domain: typed, isValid: typed === "" || canonicalDomain(typed) !== undefined };
    const [explanation, history] = await Promise.all([
      readExplanation(ask, operator, { operation: "explain", query: { query: network } }),
      historyOf(operator, network, filter),
    ]);
    const report =
      operator.domain === undefined
        ? await readNetwork(ask, operator, { operation: "showNetwork", query: { network } })
        : explanation && reportForDomain(network, explanation);
    if (report === undefined || explanation === undefined) return sendNotice(deps, reply, "not_found", operator);
    const links = linksOf(handles, operator);
    const done = queryOf(request, "done") ?? "";
    const view = {
      report,
      explanation,
      history,
      filter,
      done: isConsoleAction(done) ? done : undefined,
      kept: keptIn(handles, { request, operator }),
      nowMs: clock.now(),
      operator,
      helpdesk: deps.helpdesk(),
      links,
      next: links.network(network),
    };
    return sendPage(deps, reply, networkPage(view), operator);
  };
  return forOperator(deps, { route: "consoleNetwork", handle: show });
}
