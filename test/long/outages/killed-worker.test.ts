import { poll } from "@postern/testing";
import { expect, test } from "vitest";
import {
  enqueueAll,
  jobOf,
  resultOf,
  seedBans,
  seededKeys,
  untilAllEnded,
} from "../../integration/admin/follow-job.ts";
import { startOperatorsStack } from "../../integration/admin/operators-stack.ts";
import { testRedis } from "../../support/redis-content.ts";

test("SIGKILL of one of two workers during 1,000 jobs: each job is completed and counted once, and none stays in progress", async () => {
  await using stack = await startOperatorsStack(["admin"]);
  const redis = await testRedis(stack.redis?.port ?? 0);
  const killed = await stack.start("jobs-worker");
  await stack.start("jobs-worker");
  const jobs = 1000;
  await seedBans(redis, jobs);
  const queued = enqueueAll(stack, jobs);
  await poll("some jobs to be completed", async () => (await seededKeys(redis)).length < 2 * jobs - 100);
  killed.signal("SIGKILL");
  const left = (await seededKeys(redis)).length;
  const ids = await queued;
  const records = await untilAllEnded(stack, ids);
  expect(left).toBeGreaterThan(0);
  expect(new Set(ids).size).toBe(jobs);
  expect(new Set(records.map(({ jobId }) => jobId))).toEqual(new Set(ids));
  // Each is compared, because a sum would hide a job that lost what another counted twice.
  const outcomes = records.map(({ status, resultCount, error }) => `${status} ${resultCount} ${error}`);
  expect([...new Set(outcomes)]).toEqual(["DONE 2 "]);
  expect(await seededKeys(redis)).toEqual([]);
  const some = records.filter((_record, index) => index % 10 === 0);
  const later = await Promise.all(some.map(({ jobId }) => jobOf(stack, String(jobId))));
  expect(later.map(({ body }) => resultOf(body)["finishedAt"])).toEqual(some.map(({ finishedAt }) => finishedAt));
  redis.disconnect();
});
