import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { parse } from "yaml";

const root = join(import.meta.dirname, "../../..");
const folder = import.meta.dirname;
const rules = ["alerts", "slo"];
const files = ["alerts", "services", "slo"];
/** Days of samples, which `make test-long` evaluates. */
const longFiles = ["slo-days"];

/** Prometheus's own tool. @returns its output; it exits with 1 if a file is invalid or an expectation is not met */
async function promtool(...args: readonly string[]): Promise<string> {
  return (await promisify(execFile)("promtool", args, { cwd: root })).stdout;
}

test("Prometheus accepts the rules", async () => {
  const checked = await promtool("check", "rules", ...rules.map((name) => `deploy/monitoring/${name}.yaml`));
  expect(checked).toMatch(/SUCCESS: \d+ rules found/);
});

test("Prometheus accepts the configuration for Compose, whose jobs are those of the rules", async () => {
  const file = "deploy/compose/prometheus.yaml";
  expect(await promtool("check", "config", "--syntax-only", file)).toContain("SUCCESS");
  const config = parse(readFileSync(join(root, file), "utf8"));
  const compose = parse(readFileSync(join(root, "docker-compose.yml"), "utf8"), { merge: true });
  const jobs = config.scrape_configs.map(({ job_name: job }: { readonly job_name: string }) => job);
  for (const job of jobs) expect(compose.services[job].networks).toContain("stores");
  expect(jobs.toSorted()).toEqual(["admin", "auth-engine", "gateway", "idp", "jobs-worker"]);
});

test.each(files)("the alerts fire when they should, and only then: %s.yaml", async (name) => {
  expect(await promtool("test", "rules", join(folder, `${name}.yaml`))).toContain("SUCCESS");
});

interface Expectation {
  readonly alertname: string;
  readonly exp_alerts?: readonly unknown[];
}

test("every alert is expected to fire in one of the files, and not to fire in another place", () => {
  const names = rules.flatMap((name) =>
    [...readFileSync(join(root, `deploy/monitoring/${name}.yaml`), "utf8").matchAll(/^ +- alert: (\w+)$/gm)].map(
      ([, alert = ""]) => alert,
    ),
  );
  const paths = [
    ...files.map((name) => join(folder, `${name}.yaml`)),
    ...longFiles.map((name) => join(root, `test/long/monitoring/${name}.yaml`)),
  ];
  const expectations = paths.flatMap((path) => {
    const { tests } = parse(readFileSync(path, "utf8"));
    return tests.flatMap((each: { readonly alert_rule_test: readonly Expectation[] }) => each.alert_rule_test);
  });
  const tested = (fires: boolean): ReadonlySet<string> =>
    new Set(
      expectations
        .filter(({ exp_alerts = [] }: Expectation) => exp_alerts.length > 0 === fires)
        .map(({ alertname }: Expectation) => alertname),
    );
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !tested(true).has(name))).toEqual([]);
  expect(names.filter((name) => !tested(false).has(name))).toEqual([]);
});

test("an expectation that is not met fails", async () => {
  await expect(promtool("test", "rules", join(folder, "unmet.yaml"))).rejects.toThrow("FAILED");
});
