import type { DomainList, DomainReport } from "@postern/shared/contracts";
import { type DomainCounts, otherDomains } from "@postern/shared/domain/domain-counts";
import type { Domains, KnownDomain } from "@postern/shared/domain/domains";
import type { Caller } from "@postern/shared/platform/http";
import { systemClock } from "@postern/shared/platform/time";
import type { FastifyReply, FastifyRequest } from "fastify";
import { numberOf, textOf } from "../console/query.ts";
import { type DomainContext, reportOf } from "./domain-report.ts";
import type { ShownDomainSettings } from "./domain-settings.ts";
import { readCounts, writtenTraffic } from "./domain-sign-ins.ts";

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
export function getDomains({ domains, live, readDomainCounts }: DomainContext) {
  return async ({ query, caller }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
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
  };
}
