import { setTimeout as delay } from "node:timers/promises";
import { isAlive } from "./identity.ts";
import { logTail } from "./log-file.ts";
import { accepts, answersReady } from "./ports.ts";
import type { Program } from "./programs.ts";
import { spawnProgram } from "./spawn-program.ts";
import { type RecordedProcess, type State, writeState } from "./state.ts";
import { stopProcesses } from "./stop-processes.ts";

export interface StackDeps {
  readonly folder: string;
  readonly claimed: State;
  readonly say: (line: string) => void;
}

const pollMs = 50;
const firstBackoffMs = 500;
const maxBackoffMs = 30_000;
/** After running this long, a program's end no longer counts as part of a series. */
const goodLifeMs = 60_000;

async function isReady({ kind, ports }: Program): Promise<boolean> {
  const port = ports[0] ?? 0;
  return kind === "store" ? accepts(port) : answersReady(port);
}

/** The programs of one run: started together, restarted if they end unexpectedly, stopped in order. */
export class Stack {
  readonly #deps: StackDeps;
  readonly #recorded = new Map<string, RecordedProcess>();
  readonly #timers = new Set<NodeJS.Timeout>();
  /** During the start, the first program that ended; later, programs are restarted. */
  #firstEnd: string | undefined;
  #phase: "starting" | "running" | "stopping" = "starting";
  #hurry = false;

  constructor(deps: StackDeps) {
    this.#deps = deps;
  }

  /** Starts programs and waits until all are ready. Throws if one ends before that, or at the timeout. */
  async start(programs: readonly Program[], withinMs: number, signal: AbortSignal): Promise<void> {
    for (const program of programs) this.#launch(program, firstBackoffMs);
    const until = performance.now() + withinMs;
    let waiting = programs;
    for (;;) {
      const ready = await Promise.all(waiting.map(isReady));
      signal.throwIfAborted();
      if (this.#firstEnd !== undefined) throw new Error(this.#firstEnd);
      waiting = waiting.filter((_, index) => ready[index] === false);
      const [late] = waiting;
      if (late === undefined) return;
      if (performance.now() > until) {
        const seconds = withinMs / 1000;
        throw new Error(`${late.name} is not ready within ${seconds} s. ${this.#lastLines(late.name)}`);
      }
      await delay(pollMs);
    }
  }

  /** Restarts programs that end from now on. */
  keepAlive(): void {
    this.#phase = "running";
  }

  /** Stops everything, the gateway first. A second call kills. */
  async stop(): Promise<void> {
    if (this.#phase === "stopping") {
      this.#hurry = true;
      return;
    }
    this.#phase = "stopping";
    for (const timer of this.#timers) clearTimeout(timer);
    const alive = [...this.#recorded.values()].filter(isAlive);
    const killed = await stopProcesses(alive, () => this.#hurry);
    for (const name of killed) this.#deps.say(`${name} did not stop in time and was killed`);
  }

  #launch(program: Program, backoffMs: number): void {
    const { folder, claimed } = this.#deps;
    const startedAt = performance.now();
    const identity = spawnProgram(folder, program, (what) => {
      const livedWell = performance.now() - startedAt > goodLifeMs;
      this.#ended(program, what, livedWell ? firstBackoffMs : backoffMs);
    });
    const { name, stopStage } = program;
    if (identity !== undefined) this.#recorded.set(name, { ...identity, name, stopStage });
    writeState(folder, { ...claimed, processes: [...this.#recorded.values()] });
  }

  #ended(program: Program, what: string, waitMs: number): void {
    const report = `${program.name} ${what}. ${this.#lastLines(program.name)}`;
    if (this.#phase === "starting") this.#firstEnd ??= report;
    if (this.#phase !== "running") return;
    this.#deps.say(`${report}\n${program.name} starts again in ${waitMs / 1000} s.`);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#launch(program, Math.min(waitMs * 2, maxBackoffMs));
    }, waitMs);
    this.#timers.add(timer);
  }

  #lastLines(name: string): string {
    return `Its last lines:\n${logTail(this.#deps.folder, name)}`;
  }
}
