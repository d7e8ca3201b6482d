import {
  DecisionHistoryPage,
  type DecisionRecord,
  Explanation,
  isConsoleAction,
  pathTo,
} from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { compileCheck } from "@postern/shared/platform/http";
import type { Operator } from "../../operators/operator.ts";
import type { ApiQuestion, AskApi } from "../../operators/operator-api.ts";
import { type SearchAnswer, type ShownBan, searchPage } from "../../pages/search-page.ts";
import { forOperator, queryOf, sendPage } from "./console-visit.ts";
import type { ConsolePagesDeps } from "./deps.ts";

const isExplanation = compileCheck(Explanation);
const isHistory = compileCheck(DecisionHistoryPage);
/** Networks whose other accounts are looked up. */
const maxNetworks = 3;

type Asked = (question: ApiQuestion) => ReturnType<AskApi>;

async function explain(ask: Asked, query: string): Promise<Explanation> {
  const { status, body } = await ask({ operation: "explain", query: { query } });
  if (status === 200 && isExplanation.accepts(body)) return body;
  throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `explain gave ${status}` });
}

/** Empty if the history is off, or was not kept for this kind of network; the explanation says so. */
async function recordsOf(ask: Asked, { kind, query, account }: Explanation): Promise<readonly DecisionRecord[]> {
  const subjects: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    address: { network: query },
    network: { network: query },
    reference: { reference: query },
  };
  const subject = subjects[kind] ?? { account: account ?? query };
  const { status, body } = await ask({ operation: "listDecisions", query: { ...subject, limit: "100" } });
  if (status >= 500) throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `listDecisions gave ${status}` });
  return status === 200 && isHistory.accepts(body) ? body.records : [];
}

async function bansOf(ask: Asked, { bans }: Explanation): Promise<readonly ShownBan[]> {
  const networks = [...new Set(bans.map(({ network }) => network))].slice(0, maxNetworks);
  const found = await Promise.all(
    networks.map(async (network) => [network, (await explain(ask, network)).other_accounts] as const),
  );
  const others = new Map(found);
  return bans.map((ban) => ({ ...ban, others: others.get(ban.network) ?? [] }));
}

function createSearch(ask: AskApi) {
  return async (operator: Operator, query: string): Promise<SearchAnswer> => {
    const asked: Asked = (question) => ask(operator, question);
    const explanation = await explain(asked, query);
    const [records, bans] = await Promise.all([recordsOf(asked, explanation), bansOf(asked, explanation)]);
    return { explanation, records, bans };
  };
}

const longestQuery = 1024;

/** `GET /console/search` */
export function getSearch(deps: ConsolePagesDeps) {
  const search = createSearch(deps.ask);
  return forOperator(deps, async ({ request, reply, operator }) => {
    const query = queryOf(request, "query")?.trim().slice(0, longestQuery) ?? "";
    const done = queryOf(request, "done") ?? "";
    const answer = query === "" ? undefined : await search(operator, query);
    const next = `${pathTo("consoleSearch")}?${new URLSearchParams({ query }).toString()}`;
    const view = {
      query,
      answer,
      done: isConsoleAction(done) ? done : undefined,
      operator,
      helpdesk: deps.helpdesk(),
      next,
    };
    return sendPage(deps, reply, searchPage(view), operator);
  });
}
