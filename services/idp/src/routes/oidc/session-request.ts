import { type Audit, auditedCaller } from "@postern/shared/domain/audit";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { EndSessions } from "../../oidc/logout/end-sessions.ts";
import type { BrowserSessionList } from "../../oidc/sessions/browser-session-list.ts";
import type { OidcSessions } from "../../oidc/sessions/session-list.ts";
import type { OwnersOf } from "../../oidc/sessions/session-owner.ts";
import { auditVisit } from "../../visit/visit.ts";

export interface SessionRouteDeps {
  readonly oidcSessions: OidcSessions;
  readonly browserSessions: BrowserSessionList;
  readonly endSessions: EndSessions;
  readonly ownersOf: OwnersOf;
  readonly identifier: string;
  readonly audit: Audit;
}

export interface SessionParams {
  readonly Params: { readonly user_id?: string; readonly token?: string };
}

const longest = 1024;

export function missing(reply: FastifyReply, what: string): FastifyReply {
  return reply.code(400).send({ error: `${what}: must be a string of 1 to ${longest} characters` });
}

export function isValidParameter(text: string | undefined): text is string {
  return text !== undefined && text !== "" && text.length <= longest;
}

/** Audits every outcome: a failed attempt may have ended some sessions. */
export async function audited<Result>(
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
export const refuseWithoutUser = (_request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  missing(reply, "user_id");

export type SessionRequest = FastifyRequest<SessionParams>;
