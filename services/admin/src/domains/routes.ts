import { DomainFlushRequest, type DomainList, type DomainReport, domainFlushed } from "@postern/shared/contracts";
import { type DomainCounts, otherDomains } from "@postern/shared/domain/domain-counts";
import type { Domains, KnownDomain } from "@postern/shared/domain/domains";
import { AppError } from "@postern/shared/platform/errors";
import { type Caller, compileCheck } from "@postern/shared/platform/http";
import { canonicalDomain } from "@postern/shared/platform/net";
import { systemClock } from "@postern/shared/platform/time";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { numberOf, textOf } from "../console/query.ts";
import type { AdminContext } from "../context.ts";
import { auditedRequest, malformed, paramOf, readBody, serve, sessionOf } from "../read-request.ts";
import { type DomainContext, readCounts, reportOf, writtenTraffic } from "./domain-report.ts";
import type { ShownDomainSettings } from "./domain-settings.ts";

/** @throws AppError REQUEST_MALFORMED */
function domainIn(text: string, member: string): string {
  const name = canonicalDomain(text.trim());
  if (name === undefined) throw malformed(`${member}: must be a domain name`);
  return name;
}

/** `GET /api/v1/domains/{name}` */
export async function getDomain(request: FastifyRequest, reply: FastifyReply, context: DomainContext) {
  const { domains, live, readDomainCounts } = context;
  const sought = domainIn(paramOf(request, "name"), "name");
  const domain = await domains.current?.find(sought);
  reply.header("cache-control", "no-store");
  if (domain?.isKnown === false) return reply.code(404).send({ error: "the site does not serve this domain" });
  const names = domain?.record === undefined ? [] : [domain.name];
  const [counts] = (await readCounts(readDomainCounts, names, systemClock.now())).values();
  return reply.send(reportOf(sought, domain, { settings: live.current.domains, counts }));
}

/** The domains that a caller is limited to, wherever their records are. */
async function findAll(domains: Domains, names: readonly string[]): Promise<readonly KnownDomain[]> {
  const found = await Promise.all(names.map(async (name) => domains.find(name)));
  return found.flatMap((domain) => (domain.isKnown ? [domain] : []));
}

/** Those that a caller may see, by name; of the others, only those of the configuration. */
async function visibleTo(caller: Caller | null, current: Domains | undefined): Promise<readonly KnownDomain[]> {
  if (current === undefined) return [];
  const visible = caller?.domains === undefined ? current.configured : await findAll(current, caller.domains);
  return visible.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

interface Shown {
  readonly settings: ShownDomainSettings;
  readonly counts: ReadonlyMap<string, DomainCounts>;
}

function listed(domain: KnownDomain, { settings, counts }: Shown): DomainReport {
  const { record: _whole, ...report } = reportOf(domain.name, domain, { settings, counts: counts.get(domain.name) });
  return report;
}

/** `GET /api/v1/domains` */
export async function getDomains({ query, caller }: FastifyRequest, reply: FastifyReply, context: DomainContext) {
  const { domains, live, readDomainCounts } = context;
  const size = numberOf(query, "limit", { usual: 50, max: 500 });
  const after = textOf(query, "cursor") ?? "";
  const { domains: settings } = live.current;
  const { current } = domains;
  const all = (await visibleTo(caller, current)).filter(({ name }) => name > after);
  const page = all.slice(0, size);
  const last = page.at(-1);
  const isAll = current !== undefined && caller?.domains === undefined;
  const names = [...page.map(({ name }) => name), ...(isAll ? [otherDomains] : [])];
  const counts = await readCounts(readDomainCounts, names, systemClock.now());
  const others = counts.get(otherDomains);
  const list: DomainList = {
    domains: page.map((domain) => listed(domain, { settings, counts })),
    ...(others && { others: writtenTraffic(others) }),
    ...(all.length > page.length && last !== undefined && { next: last.name }),
    has_records: current !== undefined,
    source: settings.source,
    default_enabled: settings.defaultEnabled,
  };
  return reply.header("cache-control", "no-store").send(list);
}

const flushCheck = compileCheck(DomainFlushRequest);

function statusOf(domain: string, { source }: ShownDomainSettings): string {
  if (source === "none") return "there is no source: records of the configuration change when it is reloaded";
  const what = domain === "" ? "all records are" : `the record of ${domain} is`;
  return `${what} read again when next needed`;
}

/** `DELETE /api/v1/cache/flush/domain` */
async function deleteDomain(request: FastifyRequest, reply: FastifyReply, context: AdminContext) {
  const { bus, domains, live, audit, adminMetrics, regionLog } = context;
  const { domain: named } = readBody(flushCheck, request.body);
  const domain = named === undefined ? "" : domainIn(named, "domain");
  const one = domain === "" ? {} : { domain };
  const isSent = bus.publish(domainFlushed, one);
  domains.current?.forget(one.domain);
  adminMetrics.flushed("domain", isSent ? "flushed" : "failed");
  const outcome = isSent ? "ok" : "failed";
  audit.record({ event: "domain.flush", outcome, ...auditedRequest(request), ...one, target: one.domain });
  if (!isSent) throw new AppError("UPSTREAM_UNAVAILABLE", { detail: "no service heard that a domain was flushed" });
  await regionLog?.append({ kind: "domain-flush", ...one });
  const result = { domain, status: statusOf(domain, live.current.domains) };
  return reply.send({ session: sessionOf(request), object: "domain", operation: "flush", result });
}

/** `/api/v1/domains`, and the flush of a record. */
export function registerDomains(app: FastifyInstance, context: AdminContext): void {
  serve(app, context, [
    ["flushDomain", deleteDomain],
    ["listDomains", getDomains],
    ["showDomain", getDomain],
  ]);
}
