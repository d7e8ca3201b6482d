import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/reference/metrics.md"), "utf8");

interface Metric {
  readonly name: string;
  readonly type: string;
}

/** Metrics are created only by `<registry>.<type>({ name: …`, a counter also by `configuredCounter`, a gauge by `gaugeOfEach`; the site's identifier stands for `service`. */
function metricsIn(source: string): readonly Metric[] {
  const matches = source.matchAll(
    /\.(counter|configuredCounter|histogram|gaugeOfEach|gauge)\(\{\s*name: [`"](?:\$\{(?:metricsPrefix|prefix|(?:config\.)?runtime\.naming\.identifier)\}_)?([a-z_]+)[`"]/gu,
  );
  return [...matches].map(([text, type = "", name = ""]) => ({
    type: { configuredCounter: "counter", gaugeOfEach: "gauge" }[type] ?? type,
    name: /\$\{(?:metricsPrefix|prefix|(?:config\.)?runtime\.naming\.identifier)\}_/u.test(text)
      ? `service_${name}`
      : name,
  }));
}

function sources(): readonly string[] {
  const files = globSync("{libs,services}/*/src/**/*.ts", { cwd: root });
  return files.filter((file) => !file.endsWith(".test.ts")).map((file) => readFileSync(join(root, file), "utf8"));
}

function byName(left: Metric, right: Metric): number {
  return left.name.localeCompare(right.name);
}

test("docs/reference/metrics.md lists the metrics of the source, with their types", () => {
  const written = [...page.matchAll(/^\| `([a-z_]+)` \| (counter|histogram|gauge) \|/gmu)].map(
    ([, name = "", type = ""]) => ({ name, type }),
  );
  const registered = sources().flatMap(metricsIn);
  expect(registered.length).toBeGreaterThan(10);
  expect(written.toSorted(byName)).toEqual(registered.toSorted(byName));
});

test("every metric is found: none is created in a way that this test does not read", () => {
  const calls = sources()
    .filter((source) => !source.includes("new Counter("))
    .flatMap((source) => source.match(/\.(counter|configuredCounter|histogram|gaugeOfEach|gauge)\(/gu) ?? []);
  expect(calls.length).toBe(sources().flatMap(metricsIn).length);
});
