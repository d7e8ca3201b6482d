import type { Rehearsal } from "../../../services/auth-engine/src/rehearsal/rehearsal.ts";
import { isDialect, readSignIn } from "../../../services/auth-engine/src/rehearsal/sign-in.ts";
import { decidedEnd, UsualSuccess, usualStart } from "../../../services/auth-engine/src/rehearsal/usual-success.ts";
import type { Surroundings } from "../command.ts";
import { createProgress } from "../progress.ts";
import { createCollector } from "./collector.ts";
import { openLog, wholeLines } from "./log-text.ts";

const timeLength = 24;

async function readLines(rehearsal: Rehearsal, usual: UsualSuccess, text: string, sinceMs: number): Promise<void> {
  const since = new Date(sinceMs).toISOString();
  const timeAt = usualStart.length;
  usual.begin(text);
  for (let start = 0, end = text.indexOf("\n"); end >= 0; start = end + 1, end = text.indexOf("\n", start)) {
    if (!text.startsWith(decidedEnd, end - decidedEnd.length)) continue;
    // A line that is too early is cheaper to recognise than to parse.
    const isUsual = sinceMs > 0 && text.startsWith(usualStart, start);
    if (isUsual && text.slice(start + timeAt, start + timeAt + timeLength) < since) continue;
    if (usual.read(start, end) && usual.timeMs >= sinceMs && rehearsal.addIfQuiet(usual)) continue;
    const signIn = readSignIn(text.slice(start, end));
    if (signIn === undefined) rehearsal.unreadable += 1;
    else if (signIn.timeMs >= sinceMs) await rehearsal.add(signIn);
  }
}

interface Reading {
  readonly from: string;
  readonly sinceMs: number;
  readonly terminal: Surroundings["terminal"];
  /** Ends the reading. */
  readonly signal: AbortSignal;
}

/** Reads the log into the rehearsal; false if the user ended it. */
export async function readLog(rehearsal: Rehearsal, { from, sinceMs, terminal, signal }: Reading): Promise<boolean> {
  const source = await openLog(from, terminal.input);
  const progress = createProgress(terminal.output);
  const collect = createCollector();
  const usual = new UsualSuccess(isDialect);
  // Otherwise the next part of standard input would be awaited.
  const stop = (): void => void (from === "-" && terminal.input.destroy());
  signal.addEventListener("abort", stop);
  try {
    for await (const text of wholeLines(source.chunks, () => (rehearsal.unreadable += 1))) {
      await readLines(rehearsal, usual, text, sinceMs);
      progress.show(`${rehearsal.comparison.signIns} sign-ins`, source.size && source.readBytes() / source.size);
      collect();
      if (signal.aborted) break;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener("abort", stop);
    progress.end();
  }
  return !signal.aborted;
}
