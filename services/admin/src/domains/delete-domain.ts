import { DomainFlushRequest, domainFlushed } from "@postern/shared/contracts";
import { auditedCaller } from "@postern/shared/domain/audit";
import { AppError } from "@postern/shared/platform/errors";
import { compileCheck } from "@postern/shared/platform/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AdminContext } from "../context.ts";
import { malformed, sessionOf } from "../read-request.ts";
import type { ShownDomainSettings } from "./domain-settings.ts";
import { domainIn } from "./get-domain.ts";

const flushCheck = compileCheck(DomainFlushRequest);

function statusOf(domain: string, { source }: ShownDomainSettings): string {
  if (source === "none") return "there is no source: records of the configuration change when it is reloaded";
  const what = domain === "" ? "all records are" : `the record of ${domain} is`;
  return `${what} read again when next needed`;
}

/** `DELETE /api/v1/cache/flush/domain` */
export function deleteDomain({
  bus,
  domains,
  live,
  audit,
  adminMetrics,
  regionLog,
}: Pick<AdminContext, "bus" | "domains" | "live" | "audit" | "adminMetrics" | "regionLog">) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { body, caller } = request;
    if (!flushCheck.accepts(body)) throw malformed(flushCheck.explain(body));
    const domain = body.domain === undefined ? "" : domainIn(body.domain, "domain");
    const one = domain === "" ? {} : { domain };
    const session = sessionOf(request);
    const isSent = bus.publish(domainFlushed, one);
    domains.current?.forget(one.domain);
    adminMetrics.flushed("domain", isSent ? "flushed" : "failed");
    const outcome = isSent ? "ok" : "failed";
    audit.record({ event: "domain.flush", outcome, ...auditedCaller(caller), ...one, target: one.domain, session });
    if (!isSent) throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "no service heard that a domain was flushed" });
    await regionLog?.append({ kind: "domain-flush", ...one });
    const result = { domain, status: statusOf(domain, live.current.domains) };
    return reply.send({ session, object: "domain", operation: "flush", result });
  };
}
