import { setTimeout as delay } from "node:timers/promises";
import { readJob } from "./answers.ts";
import type { CommandContext, Shown } from "./command.ts";

const firstPauseMs = 50;
const longestPauseMs = 2000;

/** Asks until the job is over; each new state is told. Whoever stops asking does not stop the job. */
export async function followJob(jobId: string, { api, progress }: CommandContext): Promise<Shown> {
  let pauseMs = firstPauseMs;
  let told = "";
  for (;;) {
    const { result } = readJob(await api.ask("GET", `/api/v1/async/jobs/${encodeURIComponent(jobId)}`));
    const { status, resultCount, error } = result;
    if (status !== told) progress(`job ${jobId}: ${status}`);
    told = status;
    if (status === "DONE") return { lines: [`${resultCount} keys were removed`], json: result };
    if (status === "ERROR") return { exitCode: 1, lines: [`the job failed: ${error}`], json: result };
    await delay(pauseMs);
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }
}
