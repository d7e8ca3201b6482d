import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

/** Promtool compacts days of samples beside the queries that read them, and on a busy machine some queries then find none. */
const retry = 5;

test("the alerts about error budgets fire when they should, and only then, over days", { retry }, async () => {
  const { stdout } = await promisify(execFile)("promtool", [
    "test",
    "rules",
    join(import.meta.dirname, "slo-days.yaml"),
  ]);
  expect(stdout).toContain("SUCCESS");
});
