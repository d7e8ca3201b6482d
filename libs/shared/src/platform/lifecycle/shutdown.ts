import { endsWithin } from "../concurrency/deadline.ts";
import type { Logger } from "../logging/logger.ts";

/** One step of the shutdown. Steps run in the order of the list, one at a time. */
export interface ShutdownStep {
  readonly name: string;
  run(): Promise<void> | void;
}

/**
 * Runs the steps of a shutdown: stop accepting, finish requests in progress, close. A step that fails or hangs is logged and does not prevent
 * the others.
 *
 * @param graceMs maximum time for all steps together
 */
export async function runSteps(steps: readonly ShutdownStep[], graceMs: number, logger: Logger): Promise<void> {
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
