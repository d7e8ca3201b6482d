import { expect, test } from "vitest";
import { addCounts, unexpectedIn } from "./unexpected.ts";

const lines = [
  '{"level":"info","outcome":"ok","username":"a","msg":"decided"}',
  '{"level":"info","outcome":"tempfail","reason":"backend_unavailable","username":"a","msg":"decided"}',
  '{"level":"info","outcome":"tempfail","reason":"backend_unavailable","username":"b","msg":"decided"}',
  '{"level":"info","outcome":"fail","reason":"wrong","msg":"decided"}',
  '{"level":"warn","check":"nats","msg":"health check failed"}',
  '{"level":"info","msg":"ready"}',
  '{"level":"info","outcome":"tempf',
].join("\n");

test("outcomes are counted with their reasons, and warnings by their messages", () => {
  expect(unexpectedIn(lines, "ok")).toEqual(
    new Map([
      ["tempfail: backend_unavailable", 2],
      ["fail: wrong", 1],
      ["warn: health check failed", 1],
    ]),
  );
  expect(unexpectedIn(lines, "fail").get("ok: no reason")).toBe(1);
});

test("counts are added", () => {
  const sum = new Map([["a", 1]]);
  addCounts(
    sum,
    new Map([
      ["a", 2],
      ["b", 3],
    ]),
  );
  expect(sum).toEqual(
    new Map([
      ["a", 3],
      ["b", 3],
    ]),
  );
});
