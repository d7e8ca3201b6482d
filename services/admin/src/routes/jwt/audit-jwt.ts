import type { Audit, AuditOutcome } from "@postern/shared/domain/audit";
import type { FastifyRequest } from "fastify";
import type { JwtResult } from "./jwt-route.ts";

const outcomes: Readonly<Record<JwtResult, AuditOutcome | undefined>> = {
  issued: "ok",
  denied: "denied",
  no_role: "denied",
  undecided: "undecided",
  // No token was requested.
  malformed: undefined,
};

/** Only if it was authenticated: an attacker's input may be anything, even a password. */
const proved: ReadonlySet<JwtResult> = new Set(["issued", "no_role"]);

function usernameOf({ body }: FastifyRequest): string | undefined {
  if (typeof body !== "object" || body === null || !("username" in body)) return undefined;
  return typeof body.username === "string" ? body.username : undefined;
}

/** Audits the result of a request to the JWT endpoints. */
export function auditJwt(audit: Audit, event: "token.login" | "token.refresh") {
  return (result: JwtResult, request: FastifyRequest): void => {
    const outcome = outcomes[result];
    if (outcome === undefined) return;
    const reason = result === "no_role" ? result : undefined;
    const { session = request.id, clientIp } = request.caller ?? {};
    audit.record({
      event,
      outcome,
      actor: proved.has(result) ? usernameOf(request) : undefined,
      clientIp,
      session,
      reason,
    });
  };
}
