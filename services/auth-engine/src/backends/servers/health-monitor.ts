import type { Clock } from "@postern/shared/platform/time";
import { RefusedAccountError } from "./errors.ts";
import type { ServerAddress, Target, TargetSet } from "./target-set.ts";

const recoveryTickMs = 1000;

/**
 * Checks each server every `intervalMs`, and a server with an open breaker every second, so that an outage ends for
 * users within a second and no user's request has to be the trial. Its timer does not keep the process alive.
 *
 * `probe` checks the server over its own connection, in the way real requests use it, with a time limit.
 */
export function createHealthMonitor<Address extends ServerAddress>(
  targets: TargetSet<Address>,
  clock: Clock,
  settings: { readonly healthCheckIntervalMs: number; readonly breaker: { readonly cooldownMs: number } },
  { probe, afterTick }: { readonly probe: (target: Target<Address>) => Promise<void>; readonly afterTick: () => void },
) {
  const { healthCheckIntervalMs: intervalMs, breaker } = settings;
  const lastProbedAt = new Map<Target<Address>, number>(targets.all.map((target) => [target, clock.now()]));
  const running = new Map<Target<Address>, Promise<void>>();

  const pauseMs = (target: Target<Address>): number => {
    // Frequent attempts with a refused service account could lock it.
    if (target.lastError instanceof RefusedAccountError) return Math.max(intervalMs, breaker.cooldownMs);
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
      if (running.has(target) || now - (lastProbedAt.get(target) ?? 0) < pauseMs(target)) continue;
      lastProbedAt.set(target, now);
      running.set(target, ask(target));
    }
    afterTick();
  };

  const timer = setInterval(tick, Math.min(intervalMs, recoveryTickMs)).unref();
  return {
    close: async (): Promise<void> => {
      clearInterval(timer);
      await Promise.all(running.values());
    },
  };
}
