import type { DecisionExportPage } from "@postern/shared/contracts";
import { type Audit, auditedCaller } from "@postern/shared/domain/audit";
import { accountsFor } from "@postern/shared/domain/domains";
import type { DecisionHistory } from "@postern/shared/domain/history";
import type { Clock } from "@postern/shared/platform/time";
import type { FastifyReply, FastifyRequest } from "fastify";
import { auditedRequest, malformed } from "../../read-request.ts";
import { domainOf, type OfDomains, textOf, throwUnreadable } from "../query.ts";
import { accountOf, writtenDecision } from "../written.ts";

interface ExportDeps extends OfDomains {
  /** Undefined while no history is recorded. */
  readonly history: Pick<DecisionHistory, "page"> | undefined;
  readonly audit: Pick<Audit, "record">;
  readonly clock: Clock;
}

const auditAgainMs = 600_000;
const maxReads = 1024;

/** Whether a page is to be audited: one of those that a caller reads since the same time, whatever cursor it begins with. */
function createDueAudits(clock: Clock) {
  const audited = new Map<string, number>();
  return (read: string): boolean => {
    const now = clock.now();
    const lastMs = audited.get(read);
    if (lastMs !== undefined && now - lastMs < auditAgainMs) return false;
    if (audited.size >= maxReads) audited.clear();
    audited.set(read, now);
    return true;
  };
}

/** @throws AppError REQUEST_MALFORMED */
function sinceIn(query: unknown): { readonly text: string; readonly ms: number } {
  const text = textOf(query, "since");
  if (text === undefined) return { text: "", ms: 0 };
  const ms = /^\d{4}-\d\d-\d\dT/u.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isSafeInteger(ms)) throw malformed("since: must be a time such as 2026-11-29T00:00:00Z");
  return { text: new Date(ms).toISOString(), ms };
}

/** `GET /api/v1/console/history/export` */
export function getHistoryExport({ history, audit, clock, domains }: ExportDeps) {
  const isDue = createDueAudits(clock);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { query } = request;
    const since = sinceIn(query);
    const cursor = textOf(query, "cursor");
    const domain = domainOf(query);
    if (history === undefined) return reply.code(404).send({ error: "the decision history is disabled" });
    const page = await history.page(cursor, since.ms).catch(throwUnreadable);
    const isMeant = await accountsFor(request.caller, domains, domain);
    if (isDue(JSON.stringify([auditedCaller(request.caller), since.text, domain]))) {
      const about = { target: since.text, domain };
      audit.record({ event: "history.export", outcome: "ok", ...auditedRequest(request), ...about });
    }
    const histories = page.histories.flatMap(({ id, records }) => {
      const meant = records.filter((record) => isMeant(accountOf(record)));
      const nameOf = (record: (typeof meant)[number]) => domains.current?.nameOf(accountOf(record));
      const written = meant.map((record) => writtenDecision(record, { domain: nameOf(record) }));
      return written.length === 0 && domain !== undefined ? [] : [{ id, records: written }];
    });
    const answer: DecisionExportPage = { ...page, histories };
    return reply.header("cache-control", "no-store").send(answer);
  };
}
