import type { FastifyReply } from "fastify";
import { isValidParameter, missing, type SessionRequest, type SessionRouteDeps } from "./session-request.ts";

export function listSessions({ oidcSessions, browserSessions, ownersOf }: SessionRouteDeps) {
  return async ({ params: { user_id: userId }, query }: SessionRequest, reply: FastifyReply) => {
    if (!isValidParameter(userId)) return missing(reply, "user_id");
    const { accounts, subjects } = await ownersOf(userId);
    const sessions = await oidcSessions.list(subjects);
    return Object(query).browser === "true"
      ? reply.send({ sessions, browser_sessions: await browserSessions.list(accounts) })
      : reply.send({ sessions });
  };
}
