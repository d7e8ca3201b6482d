import { setTimeout as delay } from "node:timers/promises";
import type { Audit } from "@postern/shared/domain/audit";
import { remainingMs } from "@postern/shared/platform/concurrency";
import type { Logger } from "@postern/shared/platform/logging";
import type { Clock } from "@postern/shared/platform/time";
import type { CallerPatience } from "../auth-client/decide.ts";
import { type CallerCheck, type CallerFinding, isBearer } from "../caller-auth/check-caller.ts";
import { type CallerAuthOutcome, outcomeRow } from "../caller-auth/outcome.ts";
import { rejectionDelayMs } from "../caller-auth/rejection.ts";
import { opens, type ScopeNeed } from "../caller-auth/scopes.ts";

export interface CheckCallDeps {
  readonly check: () => CallerCheck;
  /** Whether token verification is configured. */
  readonly takesTokens: boolean;
  readonly need: ScopeNeed;
  readonly clock: Clock;
  /** How long a caller waits for the state of its token, in milliseconds. */
  readonly timeoutMs: () => number;
  readonly counted: (outcome: CallerAuthOutcome) => void;
  readonly logger: Pick<Logger, "warn">;
  readonly audit: Audit;
}

export interface CallerOfCall {
  readonly session: string;
  readonly authorization: string | undefined;
  readonly callerIp: string;
  readonly patience: CallerPatience;
}

/** Resolves when the caller may be answered: a rejection of wrong credentials is delayed by 300 ms. */
export type CheckCall = (caller: CallerOfCall) => Promise<CallerAuthOutcome>;

/** Each delayed rejection costs memory; above this number, rejections are not delayed. */
const maxWaiting = 1024;

async function settled(
  found: Promise<CallerFinding>,
  { deadlineMs, signal }: CallerPatience,
  { clock, timeoutMs }: CheckCallDeps,
): Promise<CallerFinding> {
  const { promise, resolve } = Promise.withResolvers<CallerFinding>();
  const leave = (): void => resolve(deadlineMs <= clock.now() ? "deadline_exceeded" : "canceled");
  const timer = setTimeout(() => resolve("deadline_exceeded"), Math.min(timeoutMs(), remainingMs(deadlineMs, clock)));
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  found.then(resolve, () => resolve("unavailable"));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", leave);
  }
}

/**
 * Authenticates the caller of one call like the HTTP listeners, but without a failure budget. A token is a temporary failure if no token
 * verification is configured.
 */
export function createCheckCall(deps: CheckCallDeps): CheckCall {
  const { check, takesTokens, need, counted, logger, audit } = deps;
  let waiting = 0;
  const find = async ({ authorization, patience }: CallerOfCall): Promise<CallerAuthOutcome> => {
    if (!takesTokens && isBearer(authorization ?? "")) return "not_configured";
    const found = check()(authorization);
    const finding = found instanceof Promise ? await settled(found, patience, deps) : found;
    if (typeof finding === "string") return finding;
    return opens(finding.token, need) ? "ok_bearer" : "missing_scope";
  };
  const wait = async (signal: AbortSignal): Promise<void> => {
    if (waiting >= maxWaiting) return;
    waiting += 1;
    await delay(rejectionDelayMs, undefined, { signal }).catch(() => undefined);
    waiting -= 1;
  };
  return async (caller) => {
    const outcome = await find(caller);
    counted(outcome);
    const { logReason, httpStatus, delayedOnGrpc } = outcomeRow(outcome);
    if (logReason !== "none") {
      const { callerIp, session } = caller;
      const isUndecided = httpStatus === 503;
      logger.warn(
        { session, transport: "grpc", client_ip: callerIp, reason: logReason },
        isUndecided ? "caller could not be verified" : "caller rejected",
      );
      const auditOutcome = isUndecided ? "undecided" : "denied";
      audit.record({
        event: "caller.rejected",
        outcome: auditOutcome,
        clientIp: callerIp,
        session,
        reason: logReason,
        protocol: "grpc",
      });
    }
    if (delayedOnGrpc) await wait(caller.patience.signal);
    return outcome;
  };
}
