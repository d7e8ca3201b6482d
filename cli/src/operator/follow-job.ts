import { setTimeout as delay } from "node:timers/promises";
import { readJob } from "./answers.ts";
import type { CommandContext, Shown } from "./operator-command.ts";

const firstPauseMs = 50;
const longestPauseMs = 2000;

/** Polls until the job has ended and reports each new state. Stopping the command does not stop the job. */
export async function followJob(jobId: string, { api, progress }: CommandContext): Promise<Shown> {
  let pauseMs = firstPauseMs;
  let lastStatus = "";
  for (;;) {
    const { result } = readJob(await api.ask("readJob", { path: { jobId } }));
    const { status, resultCount, error } = result;
    if (status !== lastStatus) progress(`job ${jobId}: ${status}`);
    lastStatus = status;
    if (status === "DONE") return { lines: [`${resultCount} keys removed`], json: result };
    if (status === "ERROR") return { exitCode: 1, lines: [`the job failed: ${error}`], json: result };
    await delay(pauseMs);
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }
}
