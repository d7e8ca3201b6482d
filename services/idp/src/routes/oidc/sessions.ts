import { type Audit, auditedCaller } from "@postern/shared/audit";
import { mayUse } from "@postern/shared/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { EndSessions } from "../../oidc/end-sessions.ts";
import type { OidcSessions } from "../../oidc/session-list.ts";
import { auditVisit } from "../audit-visit.ts";

export interface SessionRouteDeps {
  readonly oidcSessions: OidcSessions;
  readonly endSessions: EndSessions;
  readonly identifier: string;
  readonly audit: Audit;
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

/** What operators end is told whatever came of it: one that failed may have ended a part. */
async function audited<Result>(
  audit: Audit,
  request: FastifyRequest,
  { target, reason }: { readonly target: string; readonly reason: "operator" | "operator_one" },
  end: () => Promise<Result>,
): Promise<Result> {
  const line = { event: "session.end", ...auditedCaller(request.caller), target, reason } as const;
  try {
    const result = await end();
    auditVisit(audit, request, { ...line, outcome: result === "not_theirs" ? "denied" : "ok" });
    return result;
  } catch (error) {
    auditVisit(audit, request, { ...line, outcome: "failed" });
    throw error;
  }
}

/** OIDC session administration (contract). `user_id` is the `sub`, which is the account name. */
export function registerSessionRoutes(app: FastifyInstance, deps: SessionRouteDeps): void {
  const { oidcSessions, endSessions, identifier, audit } = deps;
  const options = { onRequest: requireOperator(identifier) };
  app.get(path, options, noUser);
  app.delete(path, options, noUser);
  app.get<SessionParams>(`${path}/:userId`, options, async ({ params: { userId } }, reply) =>
    isGiven(userId) ? reply.send({ sessions: await oidcSessions.list(userId) }) : missing(reply, "user_id"),
  );
  app.delete<SessionParams>(`${path}/:userId`, options, async (request, reply) => {
    const { userId } = request.params;
    if (!isGiven(userId)) return missing(reply, "user_id");
    await audited(audit, request, { target: userId, reason: "operator" }, () => endSessions.endUser(userId));
    return reply.code(204).send();
  });
  app.delete<SessionParams>(`${path}/:userId/:token`, options, async (request, reply) => {
    const { userId, token } = request.params;
    if (!isGiven(userId)) return missing(reply, "user_id");
    if (!isGiven(token)) return missing(reply, "token");
    const asked = { target: userId, reason: "operator_one" } as const;
    const ending = await audited(audit, request, asked, () => oidcSessions.end(userId, token));
    if (ending === "not_theirs") return reply.code(403).send({ error: "the session is another user's" });
    return reply.code(204).send();
  });
}
