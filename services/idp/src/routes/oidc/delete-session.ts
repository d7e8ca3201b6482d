import type { FastifyReply } from "fastify";
import { audited, isValidParameter, missing, type SessionRequest, type SessionRouteDeps } from "./session-request.ts";

export function endOne({ audit, oidcSessions, browserSessions, ownersOf }: SessionRouteDeps) {
  return async (request: SessionRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { user_id: userId, token } = request.params;
    if (!isValidParameter(userId)) return missing(reply, "user_id");
    if (!isValidParameter(token)) return missing(reply, "token");
    const auditDetails = { target: userId, reason: "operator_one" } as const;
    const ending = await audited(audit, request, auditDetails, async () => {
      const { accounts, subjects } = await ownersOf(userId);
      const ended = await oidcSessions.end({ userId, subjects }, token);
      return ended === "unknown" ? browserSessions.end(accounts, token) : ended;
    });
    if (ending === "not_theirs") return reply.code(403).send({ error: "the session is another user's" });
    return reply.code(204).send();
  };
}
