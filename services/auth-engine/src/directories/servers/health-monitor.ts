import type { Clock } from "@postern/shared/time";
import { RefusedAccountError } from "./errors.ts";
import type { ServerAddress, Target } from "./target.ts";
import type { TargetSet } from "./target-set.ts";

export interface HealthMonitorOptions<Address extends ServerAddress> {
  readonly targets: TargetSet<Address>;
  /** Asks the server over a connection of its own, as real requests do; bounded by itself. */
  readonly probe: (target: Target<Address>) => Promise<void>;
  readonly intervalMs: number;
  /** Pause after a refused service account: asking more often could lock it. */
  readonly refusedPauseMs: number;
  readonly afterTick: () => void;
  readonly clock: Clock;
}

const recoveryTickMs = 1000;

/**
 * Asks each server every `intervalMs`, and one that is left alone every second, so that an outage ends for users a
 * second after it ended for the server and no user's request has to be the trial. Its timer keeps no process alive.
 */
export function createHealthMonitor<Address extends ServerAddress>(
  options: HealthMonitorOptions<Address>,
): { close(): Promise<void> } {
  const { targets, probe, intervalMs, refusedPauseMs, afterTick, clock } = options;
  const askedAt = new Map<Target<Address>, number>(targets.all.map((target) => [target, clock.now()]));
  const running = new Map<Target<Address>, Promise<void>>();

  const pauseMs = (target: Target<Address>): number => {
    if (target.lastError instanceof RefusedAccountError) return Math.max(intervalMs, refusedPauseMs);
    return target.breaker.state() === "closed" ? intervalMs : 0;
  };

  const ask = async (target: Target<Address>): Promise<void> => {
    try {
      await probe(target);
      targets.noteRecovery(target);
    } catch (error) {
      targets.noteProbeFailure(target, error);
    } finally {
      running.delete(target);
    }
  };

  const tick = (): void => {
    const now = clock.now();
    for (const target of targets.all) {
      if (running.has(target) || now - (askedAt.get(target) ?? 0) < pauseMs(target)) continue;
      askedAt.set(target, now);
      running.set(target, ask(target));
    }
    afterTick();
  };

  const timer = setInterval(tick, Math.min(intervalMs, recoveryTickMs)).unref();
  return {
    close: async () => {
      clearInterval(timer);
      await Promise.all(running.values());
    },
  };
}
