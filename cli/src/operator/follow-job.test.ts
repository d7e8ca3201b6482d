import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { Api } from "./api.ts";
import { followJob, secondsLeft, waitText } from "./follow-job.ts";

test("the estimate is how long the rest takes at the speed so far", () => {
  expect(secondsLeft({ timeMs: 0, ahead: 100 }, { timeMs: 10_000, ahead: 80 })).toBe(40);
  expect(secondsLeft({ timeMs: 0, ahead: 100 }, { timeMs: 10_000, ahead: 100 })).toBeUndefined();
  expect(secondsLeft({ timeMs: 0, ahead: 5 }, { timeMs: 10_000, ahead: 9 })).toBeUndefined();
  expect(secondsLeft(undefined, { timeMs: 10_000, ahead: 1 })).toBeUndefined();
});

test("a wait is said in words", () => {
  expect(waitText({ status: "QUEUED" }, undefined)).toBe("QUEUED");
  expect(waitText({ status: "QUEUED", ahead: 1 }, undefined)).toBe("QUEUED: 1 job before it");
  expect(waitText({ status: "QUEUED", ahead: 20 }, 7)).toBe("QUEUED: 20 jobs before it, about 7 s");
  expect(waitText({ status: "QUEUED", runs: 2, nextRun: "2030-05-06T13:55:02.000Z" }, undefined)).toBe(
    "QUEUED: run 2 failed, run 3 begins at 13:55:02 UTC",
  );
  expect(waitText({ status: "INPROGRESS", ahead: 0 }, undefined)).toBe("INPROGRESS");
});

const jobId = "00000000-0000-4000-8000-000000000000";
const screen = { input: new PassThrough(), output: new PassThrough() };

const record = (fields: object) => ({
  session: "s",
  object: "async",
  operation: "status",
  result: {
    jobId,
    status: "QUEUED",
    type: "BF_FLUSH",
    createdAt: "",
    startedAt: "",
    finishedAt: "",
    resultCount: 0,
    error: "",
    ...fields,
  },
});

function contextOf(records: readonly object[]) {
  const said: string[] = [];
  let next = 0;
  const api: Api = {
    ask: async () => {
      next += 1;
      return record(records[Math.min(next, records.length) - 1] ?? {});
    },
    stream: async () => {
      throw new Error("the command asks only");
    },
  };
  const context = { api, progress: (line: string) => void said.push(line), screen };
  return { said, follow: () => followJob(jobId, context) };
}

test("each state is reported once, and the result is that of the job", async () => {
  const { said, follow } = contextOf([
    { ahead: 3 },
    { ahead: 2 },
    { status: "INPROGRESS" },
    { status: "DONE", resultCount: 4 },
  ]);
  expect(await follow()).toMatchObject({ lines: ["4 keys removed"] });
  expect(said).toEqual([`job ${jobId}: QUEUED: 3 jobs before it`, `job ${jobId}: INPROGRESS`, `job ${jobId}: DONE`]);
});

test("an interruption ends the waiting at once, and says that the job goes on", async () => {
  const { follow } = contextOf([{ ahead: 3 }]);
  const following = follow();
  // What a signal and a closed pipe have in common.
  screen.output.emit("error", new Error("closed"));
  expect(await following).toMatchObject({ exitCode: 1, lines: [expect.stringContaining("goes on")] });
});
