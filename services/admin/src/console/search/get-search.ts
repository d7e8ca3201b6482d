import {
  DecisionHistoryPage,
  type DecisionRecord,
  Explanation,
  FailedSignInRecord,
  pathTo,
} from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import type { Static } from "typebox";
import type { Operator } from "../../operators/operator.ts";
import { englishOf, sentence } from "../../texts/messages.ts";
import { actionableOn, queryIn } from "../actionable.ts";
import { createReadAnswer } from "../api-answer.ts";
import { type ConsoleVisit, goTo, type PageAnswer, shownReach } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../context.ts";
import { askedByName, referenceIn, searchedText } from "../searched-text.ts";
import { linksOf } from "../shown-values.ts";
import { momentText, remedyOf } from "./phrases.ts";
import { accountAndProgram, hasProgram, type ProgramQuery, programOfRecent, programsOf } from "./program-search.ts";
import { type SearchAnswer, type ShownBan, searchPage } from "./search-page.ts";

const states: Readonly<Record<string, string>> = { blocked: "blocked", undecided: "undecided" };

/** The explanation of a reference that only the identity provider knows, because no decision history is kept. */
function explainedFailure(
  explanation: Explanation,
  failed: Static<typeof FailedSignInRecord>,
  nowMs: number,
): Explanation {
  const { account, time, client_ip: address, outcome, step, reason, rule } = failed;
  const facts = { at: momentText(time, nowMs), address, outcome, step, reason, ...(rule !== undefined && { rule }) };
  const said =
    account === undefined
      ? sentence("verdict.page_failed", facts)
      : sentence("verdict.page_of_failed", { ...facts, account });
  const remedy = remedyOf(failed);
  return {
    ...explanation,
    state: states[outcome] ?? "denied",
    verdict: englishOf([said]),
    sentences: [said],
    ...(account !== undefined && { account }),
    ...(remedy !== undefined && { remedy: englishOf([remedy]), remedy_sentence: remedy }),
  };
}

const readExplanation = createReadAnswer(Explanation);
const readHistory = createReadAnswer(DecisionHistoryPage);
const readFailure = createReadAnswer(FailedSignInRecord);
/** Networks whose other accounts are looked up. */
const maxNetworks = 3;

/** What the history is asked for. */
function subjectOf({ kind, query, account }: Explanation): Readonly<Record<string, string>> {
  if (kind === "address" || kind === "network") return { network: query };
  return kind === "reference" ? { reference: query } : { account: account ?? query };
}

function accountIn(answer: SearchAnswer | undefined): string | undefined {
  if (answer === undefined) return undefined;
  const { kind, query, account } = answer.explanation;
  return account ?? (kind === "account" ? query.trim() : undefined);
}

const isAnswered = ({ kind, account }: Explanation): boolean => kind !== "account" || account !== undefined;

function createExplain({ ask, clock }: Pick<ConsolePagesDeps, "ask" | "clock">) {
  const explained = async (operator: Operator, query: string): Promise<Explanation> => {
    const found = await readExplanation(ask, operator, { operation: "explain", query: { query } });
    if (found === undefined) throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "explain rejected the request" });
    return found;
  };
  return async (operator: Operator, query: string): Promise<Explanation> => {
    const named = await askedByName(
      { name: query, operator: operator.account },
      (name) => explained(operator, name),
      isAnswered,
    );
    // While a backend could not be queried, the text may be an account.
    const isAccount = isAnswered(named) || named.incomplete.length > 0;
    const reference = isAccount ? undefined : referenceIn(query);
    const found = reference === undefined ? named : await explained(operator, reference);
    // What fails on the sign-in pages concerns the site: operators of a domain may not ask for it.
    if (found.kind !== "reference" || found.state !== "unknown" || operator.domain !== undefined) return found;
    // Also without the identity provider, the page says what the history does not have.
    const call = { operation: "getFailedSignIn", path: { reference: found.query } } as const;
    const failed = await readFailure(ask, operator, call).catch(() => undefined);
    return failed === undefined ? found : explainedFailure(found, failed, clock.now());
  };
}

/** Answers what an operator searches for. */
export function createSearch(deps: Pick<ConsolePagesDeps, "ask" | "clock">) {
  const { ask } = deps;
  const explain = createExplain(deps);
  /** Empty if the history is off, or is not kept for this kind of network; the explanation says so. */
  const recordsOf = async (operator: Operator, found: Explanation): Promise<readonly DecisionRecord[]> => {
    const query = { ...subjectOf(found), limit: "100" };
    return (await readHistory(ask, operator, { operation: "listDecisions", query }))?.records ?? [];
  };
  const bansOf = async (operator: Operator, { bans }: Explanation): Promise<readonly ShownBan[]> => {
    const networks = [...new Set(bans.map(({ network }) => network))].slice(0, maxNetworks);
    const found = await Promise.all(
      networks.map(async (network) => [network, (await explain(operator, network)).other_accounts] as const),
    );
    const others = new Map(found);
    return bans.map((ban) => ({ ...ban, others: others.get(ban.network) ?? [] }));
  };
  const answerOf = async (operator: Operator, explanation: Explanation): Promise<SearchAnswer> => {
    const [records, bans] = await Promise.all([recordsOf(operator, explanation), bansOf(operator, explanation)]);
    return { explanation, records, bans };
  };
  /** The account's sign-ins with a program. Undefined if no backend and no record knows the account. */
  const byProgram = async (
    operator: Operator,
    { account, program }: ProgramQuery,
  ): Promise<SearchAnswer | undefined> => {
    const explanation = await explain(operator, account);
    if (!isAnswered(explanation)) return undefined;
    const answer = await answerOf(operator, explanation);
    const records = answer.records.filter((record) => hasProgram(record, program));
    return { ...answer, records, program: { account, program, programs: programsOf(answer.records) } };
  };
  /** The program in the histories of accounts that were searched last. Only one in which it is counts as read. */
  const ofRecent = async (operator: Operator, program: string): Promise<SearchAnswer | undefined> => {
    const recents = programOfRecent(program.trim(), operator.searches ?? []);
    const found = await Promise.all(
      recents.map(({ account }) =>
        readHistory(ask, operator, {
          operation: "listDecisions",
          query: { account, program: program.trim(), limit: "1" },
        }),
      ),
    );
    const recent = recents.find((_recent, index) => (found[index]?.records.length ?? 0) > 0);
    const other = recent && (await byProgram(operator, recent));
    return other !== undefined && other.records.length > 0 ? other : undefined;
  };
  return async (operator: Operator, query: string): Promise<SearchAnswer> => {
    const explanation = await explain(operator, query);
    const named = isAnswered(explanation) ? undefined : accountAndProgram(query);
    const found = named && (await byProgram(operator, named));
    if (found !== undefined) return found;
    // While a backend could not be queried, the text may be an account.
    const isUnknown = !isAnswered(explanation) && explanation.incomplete.length === 0;
    const other = isUnknown ? await ofRecent(operator, query) : undefined;
    return other ?? answerOf(operator, explanation);
  };
}

/** `GET /console/search`; with `for`, the handle of what to search for. */
export async function getSearch(deps: ConsolePagesDeps, visit: ConsoleVisit): Promise<PageAnswer> {
  const { operator } = visit;
  const query = queryIn(deps, visit);
  if (query === undefined) return "link";
  const answer = query === "" ? undefined : await createSearch(deps)(operator, query);
  return searchPage({
    ...actionableOn(deps, visit, ({ search }) => (query === "" ? pathTo("consoleSearch") : search(query))),
    query,
    answer,
    reach: await shownReach(deps, operator, accountIn(answer)),
  });
}

/** `POST /console/search` and `POST /console/account`: to the page whose address does not contain the text. */
export const postFind =
  (page: "search" | "account") =>
  async (
    { sessions, handles }: ConsolePagesDeps,
    { reply, operator }: ConsoleVisit,
    form: URLSearchParams,
  ): Promise<PageAnswer> => {
    const query = searchedText(form.get("query") ?? "");
    if (query === "") return "empty";
    await sessions.remember(operator.cookie, query);
    return goTo(reply, linksOf(handles, operator)[page](query));
  };
