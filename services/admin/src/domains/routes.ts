import {
  DomainFlushRequest,
  type DomainList,
  type DomainReport,
  domainFlushed,
  type OperationId,
  operation,
} from "@postern/shared/contracts";
import { auditedCaller } from "@postern/shared/domain/audit";
import { accountsFor, type KnownDomain } from "@postern/shared/domain/domains";
import { AppError } from "@postern/shared/platform/errors";
import { compileCheck, guardedRoute } from "@postern/shared/platform/http";
import { canonicalDomain } from "@postern/shared/platform/net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { numberOf, textOf } from "../console/query.ts";
import type { AdminContext } from "../context.ts";
import { malformed, sessionOf } from "../read-request.ts";
import type { ShownDomainSettings } from "./domain-settings.ts";

type DomainContext = Pick<
  AdminContext,
  "domains" | "live" | "bus" | "audit" | "adminMetrics" | "regionLog" | "settings"
>;

function domainIn(text: string, member: string): string {
  const name = canonicalDomain(text.trim());
  if (name === undefined) throw malformed(`${member}: must be a domain name`);
  return name;
}

function getDomains({ domains, live }: DomainContext) {
  return async ({ query, caller }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const size = numberOf(query, "limit", { usual: 50, max: 500 });
    const after = textOf(query, "cursor") ?? "";
    const { domains: settings } = live.current;
    const isVisible = await accountsFor(caller, domains);
    const all = (domains.current?.configured ?? [])
      .filter(({ name }) => name > after && isVisible(`@${name}`))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
    const page = all.slice(0, size);
    const last = page.at(-1);
    const list: DomainList = {
      domains: page.map((domain) => ({
        name: domain.name,
        aliases: [...domain.aliases],
        enabled: domain.isEnabled,
        backends: [...(domain.backends.length > 0 ? domain.backends : settings.order)],
      })),
      ...(all.length > page.length && last !== undefined && { next: last.name }),
      source: settings.source,
      default_enabled: settings.defaultEnabled,
    };
    return reply.header("cache-control", "no-store").send(list);
  };
}

interface NameParams {
  readonly Params: { readonly name: string };
}

/** What applies while there are neither records nor a source. */
const withoutRecords = { origin: "none", aliases: [], isEnabled: true, backends: [], record: undefined } as const;

function reportOf(sought: string, domain: KnownDomain | undefined, settings: ShownDomainSettings): DomainReport {
  const { name, origin, aliases, isEnabled: enabled, backends, record } = domain ?? { ...withoutRecords, name: sought };
  const entries = backends.length > 0 ? backends : settings.order;
  return {
    name,
    found_as: name === sought ? "name" : "alias",
    origin,
    aliases: [...aliases],
    enabled,
    backends: entries.map((entry) => ({ name: entry, is_configured: settings.configured.has(entry) })),
    ...(record !== undefined && { record: { ...record } }),
  };
}

function getDomain({ domains, live }: DomainContext) {
  return async ({ params }: FastifyRequest<NameParams>, reply: FastifyReply): Promise<FastifyReply> => {
    const sought = domainIn(params.name, "name");
    const domain = await domains.current?.find(sought);
    reply.header("cache-control", "no-store");
    if (domain?.isKnown === false) return reply.code(404).send({ error: "the site does not serve this domain" });
    return reply.send(reportOf(sought, domain, live.current.domains));
  };
}

const flushCheck = compileCheck(DomainFlushRequest);

function statusOf(domain: string, { source }: ShownDomainSettings): string {
  if (source === "none") return "there is no source: records of the configuration change when it is reloaded";
  const what = domain === "" ? "all records are" : `the record of ${domain} is`;
  return `${what} read again when next needed`;
}

function deleteDomain({ bus, domains, live, audit, adminMetrics, regionLog }: DomainContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { body, caller } = request;
    if (!flushCheck.accepts(body)) throw malformed(flushCheck.explain(body));
    const domain = body.domain === undefined ? "" : domainIn(body.domain, "domain");
    const one = domain === "" ? {} : { domain };
    const session = sessionOf(request);
    const isSent = bus.publish(domainFlushed, one);
    domains.current?.forget(one.domain);
    adminMetrics.flushed("domain", isSent ? "flushed" : "failed");
    const line = { event: "domain.flush", ...auditedCaller(caller), target: domain || undefined, session } as const;
    audit.record({ ...line, outcome: isSent ? "ok" : "failed" });
    if (!isSent) throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "no service heard that a domain was flushed" });
    await regionLog?.append({ kind: "domain-flush", ...one });
    const result = { domain, status: statusOf(domain, live.current.domains) };
    return reply.send({ session, object: "domain", operation: "flush", result });
  };
}

/** `/api/v1/domains`, and the flush of a record. */
export function registerDomains(app: FastifyInstance, context: DomainContext): void {
  const guarded = (id: OperationId) => guardedRoute(operation(id), context.settings.identifier);
  app.route({ ...guarded("flushDomain"), handler: deleteDomain(context) });
  app.route({ ...guarded("listDomains"), handler: getDomains(context) });
  app.route<NameParams>({ ...guarded("showDomain"), handler: getDomain(context) });
}
