import { type Invitation, InvitationRequest } from "@postern/shared/contracts";
import { type Audit, type AuditOutcome, auditedCaller } from "@postern/shared/domain/audit";
import type { FindAccountNames } from "@postern/shared/domain/flush";
import { AppError } from "@postern/shared/platform/errors";
import { compileCheck } from "@postern/shared/platform/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Invitations } from "../../operators/invitations-redis.ts";
import { sessionOf } from "../flush-route.ts";
import { malformed } from "../read-request.ts";

export interface InvitationRouteDeps {
  readonly invitations: Pick<Invitations, "issue">;
  /** The console knows operators by the names that the sign-in pages give them; searches of other protocols may name them otherwise. */
  readonly namesOnPages: FindAccountNames;
  readonly audit: Audit;
}

const check = compileCheck(InvitationRequest);

/** `POST /api/v1/console/invitations` */
export function postInvitation({ invitations, namesOnPages, audit }: InvitationRouteDeps) {
  const invite = async (username: string): Promise<Invitation> => {
    const { accounts, isComplete } = await namesOnPages(username);
    const [account, ...others] = accounts;
    if (!isComplete) throw new AppError("DIRECTORY_UNAVAILABLE", { detail: "the account could not be looked up" });
    if (account === undefined || others.length > 0) throw malformed("username: must be the name of one account");
    const { code, expiresMs } = await invitations.issue(account);
    return { account, code, expires: new Date(expiresMs).toISOString() };
  };
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { body, caller } = request;
    if (!check.accepts(body)) throw malformed(check.explain(body));
    const { username: target } = body;
    const write = (outcome: AuditOutcome): void =>
      audit.record({ event: "console.invite", outcome, ...auditedCaller(caller), target, session: sessionOf(request) });
    const invitation = await invite(target).catch((error: unknown) => {
      write("undecided");
      throw error;
    });
    write("ok");
    return reply.header("cache-control", "no-store").send(invitation);
  };
}
