import { writeSync } from "node:fs";

/** Set by `tools/with-progress.ts`, which reads the names of steps from descriptor 3. */
export const stepsVariable = "POSTERN_STEPS";

/** Names the step that begins, if anybody asked for it. */
export function step(name: string): void {
  if (process.env[stepsVariable] === "3") writeSync(3, `${name}\n`);
}
