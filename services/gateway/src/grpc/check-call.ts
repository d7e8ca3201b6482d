import { setTimeout as delay } from "node:timers/promises";
import type { AuthOperation } from "@postern/shared/contracts";
import type { Audit } from "@postern/shared/domain/audit";
import { remainingMs } from "@postern/shared/platform/concurrency";
import type { Logger } from "@postern/shared/platform/logging";
import type { Clock } from "@postern/shared/platform/time";
import type { CallerPatience } from "../auth-client/decide.ts";
import { mayDo } from "../caller-auth/basic-caller.ts";
import { bearerName } from "../caller-auth/bearer.ts";
import { type CallerCheck, type CallerFinding, isToken } from "../caller-auth/check-caller.ts";
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
  /** Counts calls of a Basic caller. */
  readonly basicCounted: (name: string, outcome: CallerAuthOutcome) => void;
  readonly logger: Pick<Logger, "warn">;
  readonly audit: Audit;
}

export interface CallerOfCall {
  readonly session: string;
  readonly authorization: string | undefined;
  readonly callerIp: string;
  readonly operation: AuthOperation;
  readonly patience: CallerPatience;
}

export interface CheckedCall {
  readonly outcome: CallerAuthOutcome;
  /** The name of a caller that has authenticated. */
  readonly name: string | null;
}

/** Resolves when the caller may be answered: a rejection of wrong credentials is delayed by 300 ms. */
export type CheckCall = (caller: CallerOfCall) => Promise<CheckedCall>;

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
  const { check, takesTokens, need, counted, basicCounted, logger, audit } = deps;
  let waiting = 0;
  const find = async ({ authorization, callerIp, operation, patience }: CallerOfCall): Promise<CheckedCall> => {
    if (!takesTokens && isToken(authorization ?? "")) return { outcome: "not_configured", name: null };
    const found = check()(authorization, () => callerIp);
    const finding = found instanceof Promise ? await settled(found, patience, deps) : found;
    if (typeof finding === "string") return { outcome: finding, name: null };
    if (finding.outcome === "ok_basic") {
      const { caller } = finding;
      const outcome = mayDo(caller, operation) ? "ok_basic" : "operation_denied";
      basicCounted(caller.name, outcome);
      return { outcome, name: caller.name };
    }
    const name = bearerName(finding.token);
    return { outcome: opens(finding.token, need) ? "ok_bearer" : "missing_scope", name };
  };
  const wait = async (signal: AbortSignal): Promise<void> => {
    if (waiting >= maxWaiting) return;
    waiting += 1;
    await delay(rejectionDelayMs, undefined, { signal }).catch(() => undefined);
    waiting -= 1;
  };
  return async (caller) => {
    const checked = await find(caller);
    const { outcome, name } = checked;
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
        actor: outcome === "operation_denied" && name !== null ? name : undefined,
        clientIp: callerIp,
        session,
        reason: logReason,
        protocol: "grpc",
      });
    }
    if (delayedOnGrpc) await wait(caller.patience.signal);
    return checked;
  };
}
