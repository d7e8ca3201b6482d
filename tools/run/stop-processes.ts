import { setTimeout as delay } from "node:timers/promises";
import { type Identity, isAlive, signal } from "./identity.ts";
import type { RecordedProcess } from "./state.ts";

const termWithinMs = 10_000;
const killWithinMs = 5000;
const pollMs = 20;

/** True if all of them ended in time. */
export async function waitForEnd(identities: readonly Identity[], withinMs: number): Promise<boolean> {
  const until = performance.now() + withinMs;
  while (identities.some(isAlive)) {
    if (performance.now() > until) return false;
    await delay(pollMs);
  }
  return true;
}

/**
 * Ends processes stage by stage: SIGTERM, then SIGKILL for those that have not ended within 10 s, or immediately if `hurry` is set. Returns
 * the names of killed processes.
 */
export async function stopProcesses(
  processes: readonly RecordedProcess[],
  hurry: () => boolean = () => false,
): Promise<readonly string[]> {
  const killed: string[] = [];
  for (const stage of [1, 2, 3]) {
    const group = processes.filter(({ stopStage }) => stopStage === stage);
    for (const one of group) signal(one, "SIGTERM");
    const until = performance.now() + termWithinMs;
    while (group.some(isAlive) && performance.now() < until && !hurry()) await delay(pollMs);
    const left = group.filter(isAlive);
    for (const one of left) signal(one, "SIGKILL");
    killed.push(...left.map(({ name }) => name));
    await waitForEnd(left, killWithinMs);
  }
  return killed;
}
