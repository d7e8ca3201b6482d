import { mayUse } from "@postern/shared/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { EndSessions } from "../../oidc/end-sessions.ts";
import type { OidcSessions } from "../../oidc/session-list.ts";
import type { OwnersOf } from "../../oidc/session-owner.ts";

export interface SessionRouteDeps {
  readonly oidcSessions: OidcSessions;
  readonly endSessions: EndSessions;
  readonly ownersOf: OwnersOf;
  readonly identifier: string;
}

interface SessionParams {
  readonly Params: { readonly userId?: string; readonly token?: string };
}

const path = "/api/v1/oidc/sessions";
const longest = 1024;

function missing(reply: FastifyReply, what: string): FastifyReply {
  return reply.code(400).send({ error: `${what} is missing` });
}

function isGiven(text: string | undefined): text is string {
  return text !== undefined && text !== "" && text.length <= longest;
}

const noUser = (_request: FastifyRequest, reply: FastifyReply): FastifyReply => missing(reply, "user_id");

/** The gateway has checked who asks; what the caller may do is looked at here too, as nobody else is asked. */
function requireOperator(identifier: string) {
  const scopes = [`${identifier}:security`, `${identifier}:admin`];
  return async ({ caller }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> =>
    caller !== null && mayUse(caller, scopes)
      ? undefined
      : reply.code(403).send({ error: `missing required scope: ${scopes.join(" or ")}` });
}

/** OIDC session administration (contract). `user_id` is the `sub`: the account name, or a client's id for its own tokens. */
export function registerSessionRoutes(app: FastifyInstance, deps: SessionRouteDeps): void {
  const { oidcSessions, endSessions, ownersOf, identifier } = deps;
  const options = { onRequest: requireOperator(identifier) };
  app.get(path, options, noUser);
  app.delete(path, options, noUser);
  app.get<SessionParams>(`${path}/:userId`, options, async ({ params: { userId } }, reply) =>
    isGiven(userId)
      ? reply.send({ sessions: await oidcSessions.list(await ownersOf(userId)) })
      : missing(reply, "user_id"),
  );
  app.delete<SessionParams>(`${path}/:userId`, options, async ({ params: { userId } }, reply) => {
    if (!isGiven(userId)) return missing(reply, "user_id");
    for (const { kind, id } of await ownersOf(userId)) {
      await (kind === "user" ? endSessions.endUser(id) : endSessions.endClient(id));
    }
    return reply.code(204).send();
  });
  app.delete<SessionParams>(`${path}/:userId/:token`, options, async ({ params: { userId, token } }, reply) => {
    if (!isGiven(userId)) return missing(reply, "user_id");
    if (!isGiven(token)) return missing(reply, "token");
    const ending = await oidcSessions.end(userId, token);
    if (ending === "not_theirs") return reply.code(403).send({ error: "the session is another user's" });
    return reply.code(204).send();
  });
}
