import type { AuthDecision } from "@postern/shared/contracts";
import type { ResponseDelays } from "@postern/shared/platform/concurrency";
import type { Config } from "@postern/shared/platform/config";

export function accountDelaySettings({ auth, runtime }: Config) {
  const { account_delay: delay, without_client: withoutClient } = auth.controls.brute_force;
  return {
    /** Maximum number of delayed answers for one address of an API caller. */
    maxWaiting: delay.max_waiting,
    /** The maximum if the client address is unknown. */
    maxWaitingWithoutClient: withoutClient.max_waiting,
    /** The maximum time until an answer, in milliseconds. */
    decisionTimeoutMs: runtime.timeouts.decision,
  };
}

export interface DelayedDecision {
  readonly decision: AuthDecision;
  readonly isPeer: boolean;
  /** The API caller's address. */
  readonly caller: string;
  /** Time since the request arrived, in milliseconds. */
  readonly elapsedMs: number;
  /** How long a caller with a deadline waits; Infinity for none. */
  readonly patienceMs: number;
}

/** Time reserved for the response to reach a caller before its deadline. */
const spareMs = 100;

/**
 * Delays the answer about a guessed account after its request has left the concurrency gate. The returned function returns the delay and a
 * function that cancels it; undefined: answer now.
 */
export function createAccountDelay(
  responseDelays: ResponseDelays,
  settings: () => ReturnType<typeof accountDelaySettings>,
) {
  return ({ decision, isPeer, caller, elapsedMs, patienceMs }: DelayedDecision, answer: () => void) => {
    const holdMs = decision.outcome === "ok" || decision.outcome === "fail" ? (decision.holdMs ?? 0) : 0;
    if (holdMs === 0) return undefined;
    const { maxWaiting, maxWaitingWithoutClient, decisionTimeoutMs } = settings();
    const ms = Math.floor(Math.min(holdMs, decisionTimeoutMs - elapsedMs, patienceMs - spareMs));
    const maxPerKey = isPeer ? maxWaitingWithoutClient : maxWaiting;
    const cancel = responseDelays.delay({ key: caller, ms, maxPerKey }, answer);
    return cancel && { ms, cancel };
  };
}
