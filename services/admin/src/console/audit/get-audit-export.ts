import { finished, Readable } from "node:stream";
import { type AuditFormat, auditFormats } from "@postern/shared/contracts";
import { auditedCaller } from "@postern/shared/domain/audit";
import type { AuditHistoryPage, ReadAuditHistory } from "@postern/shared/domain/history";
import type { FastifyReply, FastifyRequest } from "fastify";
import { malformed, sessionOf } from "../../read-request.ts";
import { textOf, unreadable } from "../query.ts";
import { exportFormats, isExportFormat } from "./audit-export.ts";
import { type AuditQuery, auditQueryIn } from "./audit-query.ts";
import { type AuditContext, limitQuery } from "./get-audit.ts";
import { type LimitEntry, shownEntries } from "./limit-audit.ts";

const size = 500;

interface Export {
  readonly format: AuditFormat;
  readonly auditQuery: AuditQuery;
  /** Read before the first byte is sent, so that an unavailable Redis is an error response. */
  readonly first: AuditHistoryPage;
  readonly read: ReadAuditHistory;
  readonly limit: LimitEntry;
}

/** One page in memory at a time; the next one when the client has taken it. */
async function* linesOf({ format, auditQuery, first, read, limit }: Export): AsyncGenerator<string> {
  const { head, line } = exportFormats[format];
  if (head !== "") yield head;
  let page = first;
  for (;;) {
    const text = shownEntries(page.entries, limit).map(line).join("");
    if (text !== "") yield text;
    const { next: cursor } = page;
    if (cursor === undefined) return;
    // The cursor is that of the page before.
    // oxlint-disable-next-line no-await-in-loop
    page = await read({ ...auditQuery, size, cursor });
  }
}

/** `GET /api/v1/console/audit/export` */
export function getAuditExport({ readAuditHistory: read, audit, domains }: AuditContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { query, caller } = request;
    const filtered = auditQueryIn(query);
    const format = textOf(query, "format") ?? "csv";
    if (!isExportFormat(format)) throw malformed("format: must be csv or jsonl");
    if (read === undefined) return reply.code(404).send({ error: "the audit history is disabled" });
    const about = { ...auditedCaller(caller), target: filtered.filter, session: sessionOf(request), reason: format };
    const { limit, matches } = await limitQuery(filtered, caller, domains);
    const auditQuery = { ...filtered, matches };
    const first = await read({ ...auditQuery, size }).catch((error: unknown) => {
      throw unreadable(error);
    });
    const lines = Readable.from(linesOf({ format, auditQuery, first, read, limit }));
    // Also recorded if the client disconnects before the first line.
    finished(lines, (error) =>
      audit.record({ event: "audit.export", outcome: error instanceof Error ? "failed" : "ok", ...about }),
    );
    return reply
      .headers({
        "cache-control": "no-store",
        "content-type": `${auditFormats[format]}; charset=utf-8`,
        "content-disposition": `attachment; filename="audit.${format}"`,
        "x-content-type-options": "nosniff",
      })
      .send(lines);
  };
}
