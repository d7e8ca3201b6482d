import { poll } from "@postern/testing";
import { type AdminAnswer, askAdmin } from "../../support/ask-admin.ts";
import type { Stack } from "../../support/stack.ts";

type Members = Readonly<Record<string, unknown>>;

export function resultOf(body: Members): Members {
  return Object(body["result"]);
}

export function jobOf(stack: Pick<Stack, "url">, jobId: string): Promise<AdminAnswer> {
  return askAdmin(stack, "GET", `/api/v1/async/jobs/${jobId}`);
}

/** Queues a flush of bans, and resolves with the job's id. */
export async function enqueue(stack: Pick<Stack, "url">, body: object): Promise<string> {
  const answer = await askAdmin(stack, "DELETE", "/api/v1/bruteforce/flush/async", { body });
  if (answer.status !== 202) throw new Error(`not queued: ${answer.status} ${answer.text}`);
  return String(resultOf(answer.body)["jobId"]);
}

/** The record of a job once it is DONE or ERROR. */
export async function untilEnded(stack: Pick<Stack, "url">, jobId: string, timeoutMs = 20_000): Promise<Members> {
  let last: Members = {};
  await poll(
    "the job to end",
    async () => {
      last = resultOf((await jobOf(stack, jobId)).body);
      return last["status"] === "DONE" || last["status"] === "ERROR";
    },
    timeoutMs,
  );
  return last;
}
