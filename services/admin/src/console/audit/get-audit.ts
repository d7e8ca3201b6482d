import type { LiveDomains } from "@postern/shared/assembly";
import { type Audit, accountOf, auditedCaller } from "@postern/shared/domain/audit";
import { accountsFor } from "@postern/shared/domain/domains";
import type { AuditEntry } from "@postern/shared/domain/history";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../../context.ts";
import { sessionOf } from "../../read-request.ts";
import { numberOf, textOf, unreadable } from "../query.ts";
import { type AuditQuery, auditQueryIn } from "./audit-query.ts";
import { type LimitEntry, limitAudit, shownEntries } from "./limit-audit.ts";

export interface AuditContext extends Pick<AdminContext, "readAuditHistory"> {
  readonly audit: Audit;
  readonly domains: Pick<LiveDomains, "current">;
}

interface LimitedQuery {
  readonly limit: LimitEntry;
  readonly matches: AuditQuery["matches"];
}

/** What a caller may read, and what the filter finds of it: it must not find the rest. */
export async function limitQuery(
  { matches, domain }: AuditQuery,
  caller: FastifyRequest["caller"],
  domains: AuditContext["domains"],
): Promise<LimitedQuery> {
  const limit = await limitAudit(caller, domains);
  const isOfDomain = domain === undefined ? undefined : await accountsFor(caller, domains, domain);
  const isMeant = (entry: AuditEntry): boolean => {
    const { domain: named } = entry;
    const account = named === undefined ? accountOf(entry) : `@${named}`;
    return isOfDomain === undefined || (account !== undefined && isOfDomain(account));
  };
  return {
    limit,
    matches: (entry) => {
      const shown = limit(entry);
      return shown !== undefined && matches(shown) && isMeant(shown);
    },
  };
}

/** `GET /api/v1/console/audit` */
export function getAudit({ readAuditHistory, audit, domains }: AuditContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { query, caller } = request;
    const filtered = auditQueryIn(query);
    const { filter: target, sinceMs, untilMs } = filtered;
    const size = numberOf(query, "limit", { usual: 50, max: 500 });
    const cursor = textOf(query, "cursor");
    if (readAuditHistory === undefined) return reply.code(404).send({ error: "the audit history is disabled" });
    const { limit, matches } = await limitQuery(filtered, caller, domains);
    const { entries, next } = await readAuditHistory({ sinceMs, untilMs, matches, size, cursor }).catch(
      (error: unknown) => {
        throw unreadable(error);
      },
    );
    audit.record({ event: "audit.read", outcome: "ok", ...auditedCaller(caller), target, session: sessionOf(request) });
    const page = { records: shownEntries(entries, limit), ...(next !== undefined && { next }) };
    return reply.header("cache-control", "no-store").send(page);
  };
}
