import type { FastifyReply } from "fastify";
import { audited, isValidParameter, missing, type SessionRequest, type SessionRouteDeps } from "./session-request.ts";

export function endAll({ audit, endSessions, ownersOf }: SessionRouteDeps) {
  return async (request: SessionRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { user_id: userId } = request.params;
    if (!isValidParameter(userId)) return missing(reply, "user_id");
    await audited(audit, request, { target: userId, reason: "operator" }, async () => {
      await endSessions.endOwners(await ownersOf(userId));
    });
    return reply.code(204).send();
  };
}
