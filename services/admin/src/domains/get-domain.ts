import { canonicalDomain } from "@postern/shared/platform/net";
import { systemClock } from "@postern/shared/platform/time";
import type { FastifyReply, FastifyRequest } from "fastify";
import { malformed } from "../read-request.ts";
import { type DomainContext, reportOf } from "./domain-report.ts";
import { readCounts } from "./domain-sign-ins.ts";

/** @throws AppError REQUEST_MALFORMED */
export function domainIn(text: string, member: string): string {
  const name = canonicalDomain(text.trim());
  if (name === undefined) throw malformed(`${member}: must be a domain name`);
  return name;
}

export interface NameParams {
  readonly Params: { readonly name: string };
}

/** `GET /api/v1/domains/{name}` */
export function getDomain({ domains, live, readDomainCounts }: DomainContext) {
  return async ({ params }: FastifyRequest<NameParams>, reply: FastifyReply): Promise<FastifyReply> => {
    const sought = domainIn(params.name, "name");
    const domain = await domains.current?.find(sought);
    reply.header("cache-control", "no-store");
    if (domain?.isKnown === false) return reply.code(404).send({ error: "the site does not serve this domain" });
    const names = domain?.record === undefined ? [] : [domain.name];
    const [counts] = (await readCounts(readDomainCounts, names, systemClock.now())).values();
    return reply.send(reportOf(sought, domain, { settings: live.current.domains, counts }));
  };
}
