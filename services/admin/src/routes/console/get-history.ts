import { isIP } from "node:net";
import type { DecisionHistoryPage } from "@postern/shared/contracts";
import { auditedCaller } from "@postern/shared/domain/audit";
import type { FindAccountNames } from "@postern/shared/domain/flush";
import type { DecisionHistory, RecordedDecision } from "@postern/shared/domain/history";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AuditReads } from "../../console/audit-reads.ts";
import { subjectOf } from "../../console/subject.ts";
import { writtenDecision } from "../../console/written.ts";
import { sessionOf } from "../flush-route.ts";
import { malformed } from "../read-request.ts";
import { numberOf, textOf, unreadable } from "./query.ts";

export interface HistoryRouteDeps {
  /** Undefined while no history is recorded. */
  readonly history: DecisionHistory | undefined;
  readonly accountNames: FindAccountNames;
  readonly auditReads: AuditReads;
}

const subjects = ["account", "network", "reference"] as const;
type SubjectName = (typeof subjects)[number];

function subjectIn(query: unknown): readonly [name: SubjectName, value: string] {
  const given = subjects.flatMap((name) => {
    const value = textOf(query, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const [first] = given;
  if (first === undefined || given.length > 1)
    throw malformed("exactly one of account, network and reference is required");
  return first;
}

async function ofNetwork(history: DecisionHistory, value: string): Promise<readonly RecordedDecision[]> {
  const subject = subjectOf(value);
  if (subject.kind !== "address" && subject.kind !== "network")
    throw malformed("network: must be an IP address or a network in CIDR notation");
  if (subject.kind === "network" && subject.isWide)
    throw malformed("network: must be an IPv4 /24, an IPv6 /48 or a network within one");
  const records = await history.ofNetwork(subject.address);
  return records.filter(({ clientIp }) => isIP(clientIp) > 0 && subject.contains(clientIp));
}

function createSearch({ accountNames }: HistoryRouteDeps, history: DecisionHistory) {
  return async (name: SubjectName, value: string): Promise<readonly RecordedDecision[]> => {
    if (name === "network") return ofNetwork(history, value);
    if (name === "reference") {
      const record = await history.ofReference(value.trim());
      return record === undefined ? [] : [record];
    }
    const { accounts } = await accountNames(value.trim());
    const names = new Set([value.trim(), ...accounts].map((one) => one.toLowerCase()));
    const found = await Promise.all([...names].map((one) => history.ofAccount(one)));
    return found.flat().toSorted((a, b) => b.timeMs - a.timeMs);
  };
}

/** `<seconds>:<session>` of the last record of a page. */
function cursorOf({ timeMs, session }: RecordedDecision): string {
  return `${timeMs}:${session}`;
}

function pageOf(records: readonly RecordedDecision[], size: number, cursor: string | undefined): DecisionHistoryPage {
  if (cursor !== undefined && !/^\d+:./u.test(cursor)) throw new RangeError("invalid cursor");
  const [after] = cursor?.split(":") ?? [];
  const at = cursor === undefined ? -1 : records.findIndex((record) => cursorOf(record) === cursor);
  // The record of the cursor may have changed since: then the page begins with what is older.
  const older = records.findIndex(({ timeMs }) => timeMs < Number(after));
  const first = at >= 0 || cursor === undefined ? at + 1 : older === -1 ? records.length : older;
  const page = records.slice(first, first + size);
  const last = page.at(-1);
  const isOver = first + size >= records.length || last === undefined;
  return { records: page.map(writtenDecision), ...(!isOver && { next: cursorOf(last) }) };
}

/** `GET /api/v1/console/history` */
export function getHistory(deps: HistoryRouteDeps) {
  const { history, auditReads } = deps;
  const search = history && createSearch(deps, history);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { query } = request;
    const [name, value] = subjectIn(query);
    const size = numberOf(query, "limit", { usual: 50, max: 500 });
    const cursor = textOf(query, "cursor");
    if (search === undefined) return reply.code(404).send({ error: "the decision history is disabled" });
    try {
      const page = pageOf(await search(name, value), size, cursor);
      const event = name === "network" ? "network.read" : "account.read";
      const caller = auditedCaller(request.caller);
      auditReads({ event, ...caller, target: value, session: sessionOf(request) });
      return await reply.header("cache-control", "no-store").send(page);
    } catch (error) {
      throw unreadable(error);
    }
  };
}
