import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const folder = import.meta.dirname;

/** Prometheus's own tool. @returns its output; it exits with 1 if a file is invalid or an expectation is not met */
async function promtool(...args: readonly string[]): Promise<string> {
  return (await promisify(execFile)("promtool", args, { cwd: root })).stdout;
}

test("Prometheus accepts the rules", async () => {
  const checked = await promtool("check", "rules", "deploy/monitoring/alerts.yaml", "deploy/monitoring/slo.yaml");
  expect(checked).toMatch(/SUCCESS: \d+ rules found/);
});

test("the alerts fire when they should, and only then", async () => {
  expect(await promtool("test", "rules", join(folder, "alerts.yaml"))).toContain("SUCCESS");
});

test("the objectives: a burn rate is recorded, and its alert fires in both windows only", async () => {
  expect(await promtool("test", "rules", join(folder, "slo.yaml"))).toContain("SUCCESS");
});

test("an expectation that is not met fails", async () => {
  await expect(promtool("test", "rules", join(folder, "unmet.yaml"))).rejects.toThrow("FAILED");
});
