import type { LiveDomains } from "@postern/shared/assembly";
import type { DomainInEffect, DomainPage } from "@postern/shared/contracts";
import { comparableDomain, type Domains, type KnownDomain } from "@postern/shared/domain/domains";
import type { FastifyReply, FastifyRequest } from "fastify";
import { numberOf, textOf } from "../query.ts";

const textsOf = (value: unknown): [string, string[]][] =>
  Object.entries(Object(value)).map(([name, one]) => [name, Array.isArray(one) ? one.map(String) : [String(one)]]);

function written(domain: KnownDomain): DomainInEffect {
  const { name, aliases, origin, isEnabled, message, backends, protocols, mailCredentials, attributes, record } =
    domain;
  return {
    name,
    aliases: [...aliases],
    origin,
    enabled: isEnabled,
    ...(message !== "" && { message }),
    backends: [...backends],
    protocols: [...protocols],
    mail_credentials: mailCredentials,
    ...(record !== undefined && { second_factor: record.second_factor }),
    attributes: Object.fromEntries([...attributes].map(([key, values]) => [key, [...values]])),
    operators: Object.fromEntries(textsOf(record?.operators)),
  };
}

interface Wanted {
  readonly name: string | undefined;
  readonly cursor: string | undefined;
  readonly size: number;
  /** The only domains that the caller may see. */
  readonly own: readonly string[] | undefined;
}

async function findAll(domains: Domains, names: readonly string[]): Promise<readonly KnownDomain[]> {
  const found = await Promise.all(names.map(async (name) => domains.find(name)));
  return found.flatMap((domain) => (domain.isKnown ? [domain] : []));
}

async function pageOf(
  domains: Domains,
  { name, cursor, size, own }: Wanted,
): Promise<Pick<DomainPage, "domains" | "next">> {
  const visible = own === undefined ? domains.configured : await findAll(domains, own);
  if (name !== undefined) {
    const meant = comparableDomain(name.trim());
    // Of a domain that the caller may not see, nothing is looked up.
    const found =
      own === undefined
        ? await findAll(domains, [meant])
        : visible.filter((one) => one.name === meant || one.aliases.includes(meant));
    return { domains: found.map(written) };
  }
  const sorted = visible.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const from = cursor === undefined ? sorted : sorted.filter((one) => one.name > cursor);
  const page = from.slice(0, size);
  const last = page.at(-1)?.name;
  return { domains: page.map(written), ...(from.length > size && last !== undefined && { next: last }) };
}

/** `GET /api/v1/console/domains` */
export function getDomains({ domains }: { readonly domains: Pick<LiveDomains, "current"> }) {
  return async ({ query, caller }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const wanted = {
      name: textOf(query, "name"),
      cursor: textOf(query, "cursor"),
      size: numberOf(query, "limit", { usual: 50, max: 500 }),
      own: caller?.domains,
    };
    const { current } = domains;
    const page = current === undefined ? { domains: [] } : await pageOf(current, wanted);
    const answer: DomainPage = {
      ...page,
      has_records: current !== undefined,
      has_source: wanted.own === undefined && current?.hasSource === true,
    };
    return reply.header("cache-control", "no-store").send(answer);
  };
}
