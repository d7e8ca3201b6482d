import { setTimeout as delay } from "node:timers/promises";
import type { JobRecord } from "@postern/shared/contracts";
import { readJob } from "./answers.ts";
import type { CommandContext, Shown } from "./operator-command.ts";
import { untilInterrupted } from "./screen.ts";

const firstPauseMs = 50;
const longestPauseMs = 2000;
/** Between two lines about the same state. */
const repeatMs = 5000;

type Wait = Pick<JobRecord, "status" | "ahead" | "runs" | "nextRun">;

interface Measured {
  readonly timeMs: number;
  readonly ahead: number;
}

/** Seconds until a job begins, if the queue goes on as fast as since it was measured first. Undefined while it has not become shorter. */
export function secondsLeft(first: Measured | undefined, now: Measured): number | undefined {
  if (first === undefined || now.ahead >= first.ahead || now.timeMs <= first.timeMs) return undefined;
  return Math.ceil((now.ahead * (now.timeMs - first.timeMs)) / (first.ahead - now.ahead) / 1000);
}

/** What a job waits for, in words. */
export function waitText({ status, ahead, runs = 0, nextRun }: Wait, seconds: number | undefined): string {
  if (status !== "QUEUED") return status;
  if (nextRun !== undefined)
    return `${status}: run ${runs} failed, run ${runs + 1} begins at ${nextRun.slice(11, 19)} UTC`;
  if (ahead === undefined || ahead === 0) return status;
  const rest = seconds === undefined ? "" : `, about ${seconds} s`;
  return `${status}: ${ahead} ${ahead === 1 ? "job" : "jobs"} before it${rest}`;
}

/** Says each new state once, and how a wait goes on every few seconds. */
function createReport(jobId: string, progress: (line: string) => void) {
  let first: Measured | undefined;
  let last = { status: "", text: "", timeMs: Number.NEGATIVE_INFINITY };
  return (record: Wait): void => {
    const timeMs = performance.now();
    const now = { timeMs, ahead: record.ahead ?? 0 };
    const text = waitText(record, secondsLeft(first, now));
    if (record.ahead !== undefined) first ??= now;
    if (text === last.text || (record.status === last.status && timeMs - last.timeMs < repeatMs)) return;
    last = { status: record.status, text, timeMs };
    progress(`job ${jobId}: ${text}`);
  };
}

/** Polls until the job has ended and reports how it goes on. Stopping the command does not stop the job. */
export function followJob(
  jobId: string,
  { api, progress, screen }: Pick<CommandContext, "api" | "progress" | "screen">,
): Promise<Shown> {
  const report = createReport(jobId, progress);
  return untilInterrupted(screen, async (signal) => {
    let pauseMs = firstPauseMs;
    while (!signal.aborted) {
      const { result } = readJob(await api.ask("readJob", { path: { jobId } }));
      const { status, resultCount, error } = result;
      report(result);
      if (status === "DONE") return { lines: [`${resultCount} keys removed`], json: result };
      if (status === "ERROR") return { exitCode: 1, lines: [`the job failed: ${error}`], json: result };
      await delay(pauseMs, undefined, { signal }).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
    return {
      exitCode: 1,
      lines: [`the job ${jobId} goes on; this command does not wait for it any more`],
      json: { jobId },
    };
  });
}
