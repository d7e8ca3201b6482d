import { isIP } from "node:net";
import type { DecisionHistoryPage } from "@postern/shared/contracts";
import { accountsFor } from "@postern/shared/domain/domains";
import type { DecisionHistory, RecordedDecision } from "@postern/shared/domain/history";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../../context.ts";
import { auditedRequest, malformed } from "../../read-request.ts";
import { english } from "../../texts/texts.ts";
import { domainOf, numberOf, type OfDomains, placeIn, textOf, unreadable } from "../query.ts";
import { accountOf, writtenDecision } from "../written.ts";
import { correctAddresses, fromNewCountry } from "./new-country.ts";
import { hasProgram } from "./program-search.ts";

type SearchedHistory = Pick<DecisionHistory, "ofAccount" | "ofNetwork" | "ofReference">;
type HistoryContext = Pick<AdminContext, "accountNames" | "auditReads" | "locate"> &
  OfDomains & { readonly history: SearchedHistory | undefined };

const subjects = ["account", "network", "reference"] as const;
type SubjectName = (typeof subjects)[number];

function subjectIn(query: unknown): readonly [name: SubjectName, value: string] {
  const present = subjects.flatMap((name) => {
    const value = textOf(query, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const [first] = present;
  if (first === undefined || present.length > 1)
    throw malformed("exactly one of account, network and reference is required");
  return first;
}

async function ofNetwork(history: SearchedHistory, value: string): Promise<readonly RecordedDecision[]> {
  const subject = placeIn(value);
  const records = await history.ofNetwork(subject.address);
  return records.filter(({ clientIp }) => isIP(clientIp) > 0 && subject.contains(clientIp));
}

interface FoundRecords {
  readonly records: readonly RecordedDecision[];
  readonly incomplete?: string[];
}

const unasked = english["incomplete.backend"];

function createSearch({ accountNames }: HistoryContext, history: SearchedHistory) {
  return async (name: SubjectName, value: string): Promise<FoundRecords> => {
    if (name === "network") return { records: await ofNetwork(history, value) };
    if (name === "reference") {
      const record = await history.ofReference(value.trim());
      return { records: record === undefined ? [] : [record] };
    }
    const { accounts, spellings, isComplete } = await accountNames(value.trim());
    const names = new Set([value.trim(), ...spellings, ...accounts].map((one) => one.toLowerCase()));
    const found = await Promise.all([...names].map((one) => history.ofAccount(one)));
    const records = found.flat().toSorted((a, b) => b.timeMs - a.timeMs);
    // Sign-ins under other names are recorded under the account's own.
    return { records, ...(!isComplete && accounts.length === 0 && { incomplete: [unasked] }) };
  };
}

/** `<seconds>:<session>` of the last record of a page. */
function cursorOf({ timeMs, session }: RecordedDecision): string {
  return `${timeMs}:${session}`;
}

interface PageOfRecords {
  readonly page: readonly RecordedDecision[];
  readonly next?: string;
}

function pageOf(records: readonly RecordedDecision[], size: number, cursor: string | undefined): PageOfRecords {
  if (cursor !== undefined && !/^\d+:./u.test(cursor)) throw new RangeError("invalid cursor");
  const [after] = cursor?.split(":") ?? [];
  const at = cursor === undefined ? -1 : records.findIndex((record) => cursorOf(record) === cursor);
  // The record of the cursor may have changed since: then the page begins with what is older.
  const older = records.findIndex(({ timeMs }) => timeMs < Number(after));
  const first = at >= 0 || cursor === undefined ? at + 1 : older === -1 ? records.length : older;
  const page = records.slice(first, first + size);
  const last = page.at(-1);
  const isOver = first + size >= records.length || last === undefined;
  return { page, ...(!isOver && { next: cursorOf(last) }) };
}

/** `GET /api/v1/console/history` */
export function getHistory(deps: HistoryContext) {
  const { history, auditReads, locate, domains } = deps;
  const search = history && createSearch(deps, history);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { query } = request;
    const [name, value] = subjectIn(query);
    const size = numberOf(query, "limit", { usual: 50, max: 500 });
    const cursor = textOf(query, "cursor");
    const program = textOf(query, "program");
    const domain = domainOf(query);
    if (search === undefined) return reply.code(404).send({ error: "the decision history is disabled" });
    try {
      const { records: found, ...more } = await search(name, value);
      const isVisible = await accountsFor(request.caller, domains, domain);
      const records = found.filter(
        (record) => isVisible(accountOf(record)) && (program === undefined || hasProgram(record, program)),
      );
      const { page, ...next } = pageOf(records, size, cursor);
      const compared = name === "account" ? records : [];
      const addresses = [...page.map(({ clientIp }) => clientIp), ...correctAddresses(compared)];
      const { state: places, placeOf } = await locate(addresses);
      const isNew = fromNewCountry(compared, placeOf);
      const written = page.map((record) => ({
        ...writtenDecision(record, {
          place: placeOf(record.clientIp),
          domain: domains.current?.nameOf(accountOf(record)),
        }),
        ...(isNew.has(record) && { is_new_country: true }),
      }));
      const answer: DecisionHistoryPage = { records: written, ...next, ...more, ...(page.length > 0 && { places }) };
      const event = name === "network" ? "network.read" : "account.read";
      // That somebody does not use a program is no information about them.
      if (program === undefined || page.length > 0) auditReads({ event, ...auditedRequest(request), target: value });
      return await reply.header("cache-control", "no-store").send(answer);
    } catch (error) {
      throw unreadable(error);
    }
  };
}
