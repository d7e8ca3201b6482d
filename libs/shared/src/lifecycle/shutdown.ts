import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "../logging/logger.ts";
import type { Health } from "./health.ts";

/** One step of going down. Steps run one after the other, in the order of the list. */
export interface ShutdownStep {
  readonly name: string;
  run(): Promise<void> | void;
}

export interface ShutdownDeps {
  readonly health: Health;
  readonly logger: Logger;
  /** How long "not ready" is shown before anything stops, so that load balancers notice. */
  readonly delayMs: number;
  /** How long all steps together may take. */
  readonly graceMs: number;
  readonly steps: readonly ShutdownStep[];
}

/**
 * Going down without losing a request: not ready → wait → the steps (stop accepting, finish what is in flight, close).
 * A step that fails or hangs is logged and does not keep the others from running.
 */
export async function shutDown({ health, logger, delayMs, graceMs, steps }: ShutdownDeps): Promise<void> {
  health.phase = "draining";
  await delay(delayMs);
  const until = performance.now() + graceMs;
  for (const step of steps) {
    const left = Math.max(0, until - performance.now());
    const ended = await Promise.race([
      Promise.resolve()
        .then(() => step.run())
        .then(() => "done")
        .catch((err: unknown) => {
          logger.error({ err, step: step.name }, "shutdown step failed");
          return "failed";
        }),
      delay(left, "late", { ref: false }),
    ]);
    if (ended === "late") logger.error({ step: step.name }, "shutdown step took too long");
  }
}
