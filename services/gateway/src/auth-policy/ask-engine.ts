import {
  type AuthPolicyEffect,
  type AuthPolicyLogin,
  type AuthPolicyResult,
  type AuthPolicyVerdict,
  authPolicyAllow,
  authPolicyReport,
  authPolicyReset,
} from "@postern/shared/contracts";
import type { Bus } from "@postern/shared/platform/bus";
import { AppError, fromUnknown } from "@postern/shared/platform/errors";
import type { Clock } from "@postern/shared/platform/time";
import type { PolicyReset } from "./read-request.ts";

/** @throws AppError if no engine answers */
export interface AskEngine {
  allow(login: AuthPolicyLogin): Promise<AuthPolicyVerdict>;
  report(login: AuthPolicyResult): Promise<AuthPolicyEffect>;
  /** Resolves with the number of removed keys. */
  reset(reset: PolicyReset): Promise<number>;
}

export interface AskEngineDeps {
  /** A bus whose requests fail immediately while no engine sends heartbeats. */
  readonly bus: Pick<Bus, "request">;
  readonly clock: Clock;
  readonly timeoutMs: () => number;
}

/** Dovecot waits two seconds by default, and an answer within this time tells it why. */
const patienceMs = 1500;

/** If the engine rejects our message, the bug is ours and not in the caller's request. */
function asOurs(thrown: unknown): never {
  const error = fromUnknown(thrown);
  throw error.row.kind === "caller" ? new AppError("INTERNAL", { cause: error }) : error;
}

export function createAskEngine({ bus, clock, timeoutMs }: AskEngineDeps): AskEngine {
  const waiting = () => ({ deadline: clock.now() + Math.min(patienceMs, timeoutMs()) });
  return {
    allow: (login) => bus.request(authPolicyAllow, login, waiting()).catch(asOurs),
    report: (login) => bus.request(authPolicyReport, login, waiting()).catch(asOurs),
    reset: async (reset) => {
      const deadline = clock.now() + timeoutMs();
      const { removed } = await bus.request(authPolicyReset, reset, { deadline }).catch(asOurs);
      return removed;
    },
  };
}
