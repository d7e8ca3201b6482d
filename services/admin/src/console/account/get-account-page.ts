import {
  AccountReport,
  DecisionHistoryPage,
  Explanation,
  isConsoleAction,
  OidcSessionList,
  pathTo,
  RiskExplanation,
} from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import type { FastifyReply } from "fastify";
import type { Operator } from "../../operators/operator.ts";
import type { AskApi } from "../../operators/operator-api.ts";
import { createReadAnswer } from "../api-answer.ts";
import { type ConsoleVisit, forOperator, queryOf, sendNotice, sendPage, shownReach } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../context.ts";
import { keptIn } from "../kept-deed.ts";
import { askedByName } from "../searched-text.ts";
import { linksOf } from "../shown-values.ts";
import { type AccountAnswer, accountPage } from "./account-page.ts";

const readReport = createReadAnswer(AccountReport);
const readExplanation = createReadAnswer(Explanation);
const readHistory = createReadAnswer(DecisionHistoryPage);
const readRisk = createReadAnswer(RiskExplanation);
const readSessions = createReadAnswer(OidcSessionList);
/** The most that the interface lists: more than an account has, unless per_account is raised. */
const maxRecords = "500";

function createRead(ask: AskApi) {
  /** Undefined if the identity provider does not answer: the rest of the page does not need it. */
  const sessionsOf = async (operator: Operator, account: string): Promise<OidcSessionList | undefined> => {
    const call = { operation: "listOidcSessions", path: { user_id: account }, query: { browser: "true" } } as const;
    return readSessions(ask, operator, call).catch(() => undefined);
  };
  /** Undefined if they cannot be read: the rest of the page does not need them. */
  const riskOf = async (operator: Operator, account: string): Promise<RiskExplanation | undefined> => {
    const call = { operation: "explainRisk", query: { query: account } } as const;
    return readRisk(ask, operator, call).catch(() => undefined);
  };
  const reported = async (operator: Operator, account: string): Promise<AccountReport> => {
    const report = await readReport(ask, operator, { operation: "showAccount", body: { account } });
    if (report === undefined)
      throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "showAccount rejected the request" });
    return report;
  };
  return async (operator: Operator, query: string): Promise<AccountAnswer> => {
    const report = await askedByName(
      { name: query, operator: operator.account },
      (name) => reported(operator, name),
      ({ account: found }) => found !== undefined,
    );
    const { account = query } = report;
    const [explanation, history, sessions, risk] = await Promise.all([
      readExplanation(ask, operator, { operation: "explain", query: { query: account } }),
      readHistory(ask, operator, { operation: "listDecisions", query: { account, limit: maxRecords } }),
      sessionsOf(operator, account),
      riskOf(operator, account),
    ]);
    if (explanation === undefined)
      throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "explain rejected the request" });
    return { report, explanation, history, sessions, risk };
  };
}

/** `GET /console/account`; with `for`, the handle of an account. */
export function getAccountPage(deps: ConsolePagesDeps) {
  const { handles } = deps;
  const read = createRead(deps.ask);
  const show = async ({ request, reply, operator }: ConsoleVisit): Promise<FastifyReply> => {
    const handle = queryOf(request, "for") ?? "";
    const query = handle === "" ? "" : handles.read(operator.account, handle);
    if (query === undefined) return sendNotice(deps, reply, "link", operator);
    const links = linksOf(handles, operator);
    const done = queryOf(request, "done") ?? "";
    const answer = query === "" ? undefined : await read(operator, query);
    const view = {
      query,
      answer,
      done: isConsoleAction(done) ? done : undefined,
      kept: keptIn(handles, { request, operator }),
      nowMs: deps.clock.now(),
      operator,
      helpdesk: deps.helpdesk(),
      reach: await shownReach(deps, operator, answer?.report.query),
      links,
      next: query === "" ? pathTo("consoleAccount") : links.account(query),
    };
    return sendPage(deps, reply, accountPage(view), operator);
  };
  return forOperator(deps, { route: "consoleAccount", handle: show });
}
