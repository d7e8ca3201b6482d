import type { RedisClient } from "@postern/shared/platform/redis";
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

function addressOf(index: number): string {
  return `10.${Math.floor(index / 200)}.${index % 200}.7`;
}

/** Bans of so many networks, as engines write them: a ban and a count each. */
export async function seedBans(redis: RedisClient, count: number): Promise<void> {
  const now = Date.now();
  const seed = async (index: number): Promise<void> => {
    const network = addressOf(index).replace(/\.7$/u, ".0/24");
    const place = `postern:bf:{${network}}`;
    await redis.set(`${place}:ban:wide:${network}`, `${now} ${now + 600_000} ${network} wide`, "PX", 600_000);
    await redis.set(`${place}:count:wide:${network}`, "1", "PX", 600_000);
  };
  await Promise.all(Array.from({ length: count }, (_, index) => seed(index)));
}

export async function seededKeys(redis: RedisClient): Promise<readonly string[]> {
  return redis.keys("postern:bf:{10.*");
}

/** The request that flushes one of the bans. */
export const flushOf = (index: number) => ({ ip_address: addressOf(index), rule_name: "*" });

export async function enqueueAll(stack: Pick<Stack, "url">, jobs: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let index = 0; index < jobs; index += 50) {
    const part = Array.from({ length: 50 }, (_, offset) => enqueue(stack, flushOf(index + offset)));
    ids.push(...(await Promise.all(part)));
  }
  return ids;
}

export async function untilAllEnded(stack: Pick<Stack, "url">, ids: readonly string[]) {
  const records = [];
  for (const id of ids) records.push(await untilEnded(stack, id));
  return records;
}
