import { type OperationId, operation } from "@postern/shared/contracts";
import { type Audit, auditedCaller } from "@postern/shared/domain/audit";
import { guardedRoute } from "@postern/shared/platform/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { EndSessions } from "../../oidc/logout/end-sessions.ts";
import type { BrowserSessionList } from "../../oidc/sessions/browser-session-list.ts";
import type { OidcSessions } from "../../oidc/sessions/session-list.ts";
import type { OwnersOf } from "../../oidc/sessions/session-owner.ts";
import { auditVisit } from "../audit-visit.ts";

export interface SessionRouteDeps {
  readonly oidcSessions: OidcSessions;
  readonly browserSessions: BrowserSessionList;
  readonly endSessions: EndSessions;
  readonly ownersOf: OwnersOf;
  readonly identifier: string;
  readonly audit: Audit;
}

interface SessionParams {
  readonly Params: { readonly user_id?: string; readonly token?: string };
}

const longest = 1024;

function missing(reply: FastifyReply, what: string): FastifyReply {
  return reply.code(400).send({ error: `${what}: must be a string of 1 to ${longest} characters` });
}

function isValidParameter(text: string | undefined): text is string {
  return text !== undefined && text !== "" && text.length <= longest;
}

const noUser = (_request: FastifyRequest, reply: FastifyReply): FastifyReply => missing(reply, "user_id");

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

type SessionRequest = FastifyRequest<SessionParams>;

function listSessions({ oidcSessions, browserSessions, ownersOf }: SessionRouteDeps) {
  return async ({ params: { user_id: userId }, query }: SessionRequest, reply: FastifyReply) => {
    if (!isValidParameter(userId)) return missing(reply, "user_id");
    const { accounts, subjects } = await ownersOf(userId);
    const sessions = await oidcSessions.list(subjects);
    return Object(query).browser === "true"
      ? reply.send({ sessions, browser_sessions: await browserSessions.list(accounts) })
      : reply.send({ sessions });
  };
}

function endAll({ audit, endSessions, ownersOf }: SessionRouteDeps) {
  return async (request: SessionRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { user_id: userId } = request.params;
    if (!isValidParameter(userId)) return missing(reply, "user_id");
    await audited(audit, request, { target: userId, reason: "operator" }, async () => {
      await endSessions.endOwners(await ownersOf(userId));
    });
    return reply.code(204).send();
  };
}

function endOne({ audit, oidcSessions, browserSessions, ownersOf }: SessionRouteDeps) {
  return async (request: SessionRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { user_id: userId, token } = request.params;
    if (!isValidParameter(userId)) return missing(reply, "user_id");
    if (!isValidParameter(token)) return missing(reply, "token");
    const auditDetails = { target: userId, reason: "operator_one" } as const;
    const ending = await audited(audit, request, auditDetails, async () => {
      const { accounts, subjects } = await ownersOf(userId);
      const ended = await oidcSessions.end({ userId, subjects }, token);
      if (ended !== "unknown") return ended;
      return (await browserSessions.end(accounts, token)) ? "ended" : ended;
    });
    if (ending === "not_theirs") return reply.code(403).send({ error: "the session is another user's" });
    return reply.code(204).send();
  };
}

/**
 * OIDC session administration. `user_id` is an account name, a `sub`, or a client id for the client's own tokens. The
 * gateway has authenticated the caller; scopes are checked here.
 */
export function registerSessionRoutes(app: FastifyInstance, deps: SessionRouteDeps): void {
  const place = (id: OperationId) => guardedRoute(operation(id), deps.identifier);
  app.route({ ...place("listOidcSessionsOfNobody"), handler: noUser });
  app.route({ ...place("deleteOidcSessionsOfNobody"), handler: noUser });
  app.route<SessionParams>({ ...place("listOidcSessions"), handler: listSessions(deps) });
  app.route<SessionParams>({ ...place("deleteOidcSessions"), handler: endAll(deps) });
  app.route<SessionParams>({ ...place("deleteOidcSession"), handler: endOne(deps) });
}
