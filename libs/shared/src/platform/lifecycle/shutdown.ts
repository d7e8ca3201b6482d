import { setTimeout as delay } from "node:timers/promises";
import { endsWithin } from "../concurrency/deadline.ts";
import type { Logger } from "../logging/logger.ts";
import type { Health } from "./health.ts";

/** One step of the shutdown. Steps run in the order of the list, one at a time. */
export interface ShutdownStep {
  readonly name: string;
  run(): Promise<void> | void;
}

export interface ShutdownDeps {
  readonly health: Health;
  readonly logger: Logger;
  /** How long the service reports "not ready" before anything stops, so that load balancers notice. */
  readonly delayMs: number;
  /** Maximum time for all steps together. */
  readonly graceMs: number;
  readonly steps: readonly ShutdownStep[];
}

/**
 * Shuts down without losing a request: not ready → wait → the steps (stop accepting, finish requests in progress, close). A step that fails
 * or hangs is logged and does not prevent the others.
 */
export async function shutDown({ health, logger, delayMs, graceMs, steps }: ShutdownDeps): Promise<void> {
  health.phase = "draining";
  await delay(delayMs);
  const until = performance.now() + graceMs;
  for (const step of steps) {
    const left = Math.max(0, until - performance.now());
    const run = Promise.resolve()
      .then(() => step.run())
      .catch((err: unknown) => logger.error({ err, step: step.name }, "shutdown step failed"));
    if (await endsWithin(run, left, { ref: false })) continue;
    logger.error({ step: step.name }, "shutdown step took too long");
  }
}
