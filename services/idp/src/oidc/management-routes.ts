import { type OperationId, operation } from "@postern/shared/contracts";
import { type Audit, type AuditRecord, auditedCaller } from "@postern/shared/domain/audit";
import { guardedRoute } from "@postern/shared/platform/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { auditVisit } from "../visit/visit.ts";
import type { OidcContext } from "./context.ts";
import { kindOfId, type Registration } from "./registration/registration.ts";

/** Audits that a change failed: it may have been made in part. */
async function auditFailure<Result>(
  audit: Audit,
  request: Pick<FastifyRequest, "caller" | "id">,
  line: Omit<AuditRecord, "outcome">,
  change: () => Promise<Result>,
): Promise<Result> {
  try {
    return await change();
  } catch (error) {
    auditVisit(audit, request, { ...line, outcome: "failed" });
    throw error;
  }
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

/** Sessions of no user: there is no such list. */
const refuseWithoutUser = (_request: FastifyRequest, reply: FastifyReply): FastifyReply => missing(reply, "user_id");

type SessionRequest = FastifyRequest<SessionParams>;

const endOfSession = ({ caller }: SessionRequest, target: string, reason: "operator" | "operator_one") =>
  ({ event: "session.end", ...auditedCaller(caller), target, reason }) as const;

function endOne({ audit, oidcSessions, browserSessions, ownersOf }: OidcContext) {
  return async (request: SessionRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { user_id: userId, token } = request.params;
    if (!isValidParameter(userId)) return missing(reply, "user_id");
    if (!isValidParameter(token)) return missing(reply, "token");
    const line = endOfSession(request, userId, "operator_one");
    const ending = await auditFailure(audit, request, line, async () => {
      const { accounts, subjects } = await ownersOf(userId);
      const ended = await oidcSessions.end(userId, subjects, token);
      return ended === "unknown" ? browserSessions.end(accounts, token) : ended;
    });
    auditVisit(audit, request, { ...line, outcome: ending === "not_theirs" ? "denied" : "ok" });
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
    const line = endOfSession(request, userId, "operator");
    await auditFailure(audit, request, line, async () => endSessions.endOwnersEverywhere(await ownersOf(userId)));
    auditVisit(audit, request, { ...line, outcome: "ok" });
    return reply.code(204).send();
  };
}

/** `POST /api/v1/oidc/keys/rotate`. The other replicas publish the keys at their next read. */
function rotateKeys({ audit, keyAdministration }: OidcContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const line = { event: "signing_keys.rotate", ...auditedCaller(request.caller) } as const;
    return auditFailure(audit, request, line, async () => {
      const created = await keyAdministration.rotate();
      if (created === "too_many") {
        auditVisit(audit, request, { ...line, outcome: "denied", reason: "too_many_keys" });
        return reply.code(409).send({ error: "too many earlier keys are still published" });
      }
      auditVisit(audit, request, { ...line, outcome: "ok", target: created.join(" ") });
      return reply.send({ created, keys: await keyAdministration.list() });
    });
  };
}

function listKeys({ keyAdministration }: OidcContext) {
  return async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    reply.send({ keys: await keyAdministration.list() });
}

interface ListQuery {
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

function getRegisteredClients({ registrations }: OidcContext) {
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

interface ClientParams {
  readonly Params: { readonly client_id?: string };
}

/** Deletes the client first, so that it obtains no token while the others are revoked. Repeating the request revokes tokens that a failure left. */
function deleteRegisteredClient({ registrations, records, audit }: OidcContext) {
  return async (request: FastifyRequest<ClientParams>, reply: FastifyReply): Promise<FastifyReply> => {
    const { client_id: target = "" } = request.params;
    if (kindOfId(target) === undefined) return reply.code(404).send({ error: "no such registered client" });
    const line = { event: "client.revoke", ...auditedCaller(request.caller), target } as const;
    const existed = await auditFailure(audit, request, line, async () => {
      const removed = await registrations.remove(target);
      await records.revokeClient(target);
      return removed;
    });
    if (!existed) return reply.code(404).send({ error: "no such registered client" });
    auditVisit(audit, request, { ...line, outcome: "ok" });
    return reply.code(204).send();
  };
}

/**
 * Administration of sessions, signing keys and the clients that registered themselves. The gateway has authenticated the caller; scopes are
 * checked here. `user_id` is an account name, a `sub`, or a client id for the client's own tokens.
 */
export function registerOidcManagement(app: FastifyInstance, oidc: OidcContext): void {
  const guarded = (id: OperationId) => guardedRoute(operation(id), oidc.identifier);
  app.route({ ...guarded("listOidcSessionsWithoutUser"), handler: refuseWithoutUser });
  app.route({ ...guarded("deleteOidcSessionsWithoutUser"), handler: refuseWithoutUser });
  app.route<SessionParams>({ ...guarded("listOidcSessions"), handler: listSessions(oidc) });
  app.route<SessionParams>({ ...guarded("deleteOidcSessions"), handler: endAll(oidc) });
  app.route<SessionParams>({ ...guarded("deleteOidcSession"), handler: endOne(oidc) });
  app.route({ ...guarded("listSigningKeys"), handler: listKeys(oidc) });
  app.route({ ...guarded("rotateSigningKeys"), handler: rotateKeys(oidc) });
  app.route<ListQuery>({ ...guarded("listRegisteredClients"), handler: getRegisteredClients(oidc) });
  app.route<ClientParams>({ ...guarded("deleteRegisteredClient"), handler: deleteRegisteredClient(oidc) });
}
