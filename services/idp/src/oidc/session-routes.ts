import { type OperationId, operation } from "@postern/shared/contracts";
import { type Audit, auditedCaller } from "@postern/shared/domain/audit";
import { guardedRoute } from "@postern/shared/platform/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { auditVisit } from "../visit/visit.ts";
import type { OidcContext } from "./context.ts";

export interface SessionParams {
  readonly Params: { readonly user_id?: string; readonly token?: string };
}

const longest = 1024;

function missing(reply: FastifyReply, what: string): FastifyReply {
  return reply.code(400).send({ error: `${what}: must be a string of 1 to ${longest} characters` });
}

function isValidParameter(text: string | undefined): text is string {
  return text !== undefined && text !== "" && text.length <= longest;
}

/** Audits every outcome: a failed attempt may have ended some sessions. */
async function audited<Result>(
  audit: Audit,
  request: Pick<FastifyRequest, "caller" | "id">,
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

/** Sessions of no user: there is no such list. */
const refuseWithoutUser = (_request: FastifyRequest, reply: FastifyReply): FastifyReply => missing(reply, "user_id");

export type SessionRequest = FastifyRequest<SessionParams>;

function endOne({ audit, oidcSessions, browserSessions, ownersOf }: OidcContext) {
  return async (request: SessionRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { user_id: userId, token } = request.params;
    if (!isValidParameter(userId)) return missing(reply, "user_id");
    if (!isValidParameter(token)) return missing(reply, "token");
    const auditDetails = { target: userId, reason: "operator_one" } as const;
    const ending = await audited(audit, request, auditDetails, async () => {
      const { accounts, subjects } = await ownersOf(userId);
      const ended = await oidcSessions.end(userId, subjects, token);
      return ended === "unknown" ? browserSessions.end(accounts, token) : ended;
    });
    if (ending === "not_theirs") return reply.code(403).send({ error: "the session is another user's" });
    return reply.code(204).send();
  };
}

function listSessions({ oidcSessions, browserSessions, ownersOf }: OidcContext) {
  return async ({ params: { user_id: userId }, query }: SessionRequest, reply: FastifyReply) => {
    if (!isValidParameter(userId)) return missing(reply, "user_id");
    const { accounts, subjects } = await ownersOf(userId);
    const sessions = await oidcSessions.list(subjects);
    return Object(query).browser === "true"
      ? reply.send({ sessions, browser_sessions: await browserSessions.list(accounts) })
      : reply.send({ sessions });
  };
}

function endAll({ audit, endSessions, ownersOf }: OidcContext) {
  return async (request: SessionRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { user_id: userId } = request.params;
    if (!isValidParameter(userId)) return missing(reply, "user_id");
    await audited(audit, request, { target: userId, reason: "operator" }, async () => {
      await endSessions.endOwners(await ownersOf(userId));
    });
    return reply.code(204).send();
  };
}

/**
 * OIDC session administration. `user_id` is an account name, a `sub`, or a client id for the client's own tokens. The
 * gateway has authenticated the caller; scopes are checked here.
 */
export function registerSessionRoutes(app: FastifyInstance, oidc: OidcContext): void {
  const guarded = (id: OperationId) => guardedRoute(operation(id), oidc.identifier);
  app.route({ ...guarded("listOidcSessionsWithoutUser"), handler: refuseWithoutUser });
  app.route({ ...guarded("deleteOidcSessionsWithoutUser"), handler: refuseWithoutUser });
  app.route<SessionParams>({ ...guarded("listOidcSessions"), handler: listSessions(oidc) });
  app.route<SessionParams>({ ...guarded("deleteOidcSessions"), handler: endAll(oidc) });
  app.route<SessionParams>({ ...guarded("deleteOidcSession"), handler: endOne(oidc) });
}
