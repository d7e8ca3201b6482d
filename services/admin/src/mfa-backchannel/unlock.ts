import { MfaBackchannelUnlock, type MfaBackchannelUnlocked } from "@postern/shared/contracts";
import { type AuditOutcome, auditedCaller } from "@postern/shared/domain/audit";
import type { FindAccountNames } from "@postern/shared/domain/flush";
import { AppError } from "@postern/shared/platform/errors";
import { compileCheck } from "@postern/shared/platform/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { FactorLocks } from "../factor-locks/factor-locks-redis.ts";
import { malformed } from "../read-request.ts";
import type { MfaRouteDeps } from "./mfa-route.ts";

type Locks = Awaited<ReturnType<FactorLocks["lift"]>>;

const check = compileCheck(MfaBackchannelUnlock);

/**
 * `DELETE /api/v1/mfa-backchannel/lock`: 200 even if nothing was locked. 500 if nothing was unlocked and a backend that may know the
 * account by this name was unavailable; the request may be repeated. Counts are stored under the account's own name, which may differ
 * from the one that the operator typed.
 */
export function unlock({ audit, counted, logger }: MfaRouteDeps, locks: FactorLocks, accountNames: FindAccountNames) {
  const liftAll = async (username: string): Promise<Locks> => {
    const { accounts, isComplete } = await accountNames(username);
    const lifted = await Promise.all([...new Set([username, ...accounts])].map((name) => locks.lift(name)));
    const counts: Locks = Object.assign({}, ...lifted);
    // The name may be an alias of a locked account, which could not be checked.
    if (!isComplete && Object.keys(counts).length === 0) {
      throw new AppError("DIRECTORY_UNAVAILABLE", { detail: "the account behind the name could not be looked up" });
    }
    return counts;
  };
  return async (request: FastifyRequest, reply: FastifyReply): Promise<MfaBackchannelUnlocked> => {
    const { body, caller, id } = request;
    if (!check.accepts(body)) {
      counted("unlock", "malformed");
      throw malformed(check.explain(body));
    }
    const { username } = body;
    const session = caller?.session ?? id;
    const write = (outcome: AuditOutcome): void =>
      audit.record({ event: "second_factor.unlock", outcome, ...auditedCaller(caller), target: username, session });
    const wrongCodes = await liftAll(username).catch((error: unknown) => {
      counted("unlock", "undecided");
      write("undecided");
      throw error;
    });
    counted("unlock", "ok");
    write("ok");
    logger.info({ session, operation: "unlock", username, outcome: "ok" }, "second factors");
    reply.header("cache-control", "no-store");
    return { status: "ok", wrong_codes: wrongCodes };
  };
}
