import type { FastifyReply, FastifyRequest } from "fastify";
import type { Registration } from "../../oidc/registered/registration.ts";
import type { Registrations } from "../../oidc/registered/registrations-redis.ts";

export interface ListQuery {
  readonly Querystring: { readonly position?: string };
}

const pageLength = 100;
const longestPosition = 8;

function moment(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

function shown(registration: Registration) {
  const { id, kind, name, redirectUris, scopes, network, createdAt, usedAt, endsAt } = registration;
  return {
    client_id: id,
    client_name: name,
    redirect_uris: redirectUris,
    scope: scopes.join(" "),
    kind,
    network,
    initial_access_token: registration.initialToken ?? "",
    software_id: registration.softwareId ?? "",
    created: moment(createdAt),
    ...(usedAt !== undefined && { last_used: moment(usedAt) }),
    ends: moment(endsAt),
  };
}

export function getRegisteredClients({ registrations }: { readonly registrations: Pick<Registrations, "list"> }) {
  return async ({ query }: FastifyRequest<ListQuery>, reply: FastifyReply): Promise<FastifyReply> => {
    const { position: text = "0" } = query;
    if (!/^\d+$/u.test(text) || text.length > longestPosition) {
      return reply.code(400).send({ error: "position: must be a number" });
    }
    const position = Number(text);
    const { found, isLast } = await registrations.list(position, pageLength);
    return reply.send({ clients: found.map(shown), ...(!isLast && { next: position + pageLength }) });
  };
}
