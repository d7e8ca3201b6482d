import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { boards } from "../dashboards/boards.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

interface RuleFile {
  readonly groups: readonly {
    readonly rules: readonly (Rule | { readonly record: string; readonly expr: string })[];
  }[];
}

const allRules = ["alerts", "slo"].flatMap((name) => {
  const { groups }: RuleFile = parse(read(`deploy/monitoring/${name}.yaml`));
  return groups.flatMap((group) => group.rules);
});
const rules = allRules.filter((rule) => "alert" in rule);
const records = new Set(allRules.flatMap((rule) => ("record" in rule ? [rule.record] : [])));
const panels = Object.values(boards).flatMap((rows) => Object.values(rows).flat());
const shown = panels.flatMap(({ series }) => series.map(({ query }) => query));
const queries = [...allRules.map(({ expr }) => expr), ...shown];

interface Documented {
  readonly type: string;
  readonly labels: string;
}

/** metrics-page.test.ts verifies that the source exports these. */
const documented = new Map<string, Documented>(
  [...read("docs/reference/metrics.md").matchAll(/^\| `([a-z_]+)` \| (counter|histogram|gauge) \| ([^|]*)\|/gmu)].map(
    ([, name = "", type = "", labels = ""]) => [name, { type, labels }],
  ),
);

function metricsOf(query: string): readonly string[] {
  return [...query.matchAll(/\b(?:service|backchannel)_[a-z_]+/gu)].map(([name]) => name);
}

function known(name: string): boolean {
  const base = name.replace(/_(?:bucket|count|sum)$/u, "");
  if (base !== name && documented.get(base)?.type === "histogram") return true;
  return documented.has(name) && documented.get(name)?.type !== "histogram";
}

test("every metric of boards and rules is exported", () => {
  const used = [...new Set(queries.flatMap(metricsOf))];
  expect(used.length).toBeGreaterThan(20);
  expect(used.filter((name) => !known(name))).toEqual([]);
  expect(known("service_nothing_total")).toBe(false);
});

test("every metric is on a board, and every panel has a description", () => {
  const names = new Set(shown.flatMap(metricsOf));
  const isShown = (name: string): boolean => ["", "_bucket", "_count"].some((end) => names.has(name + end));
  expect([...documented.keys()].filter((name) => !isShown(name))).toEqual([]);
  expect(panels.filter(({ description }) => description === "").map(({ title }) => title)).toEqual([]);
});

test("every label value in a rule is one of the metric's", () => {
  const wrong = rules.flatMap(({ expr }) =>
    [...expr.matchAll(/\b(service_\w+|backchannel_\w+)\{(\w+)=~?"([^"]+)"\}/gu)].flatMap(
      ([, name = "", label = "", values = ""]) => {
        const { labels = "" } = documented.get(name.replace(/_(?:bucket|count|sum)$/u, "")) ?? {};
        return values.split("|").filter((value) => !labels.includes(`\`${label}\``) || !labels.includes(value));
      },
    ),
  );
  expect(wrong).toEqual([]);
});

test("every alert has a severity, a description and an existing runbook", () => {
  expect(rules.length).toBeGreaterThan(10);
  for (const { alert, labels, annotations } of rules) {
    expect([alert, existsSync(join(root, annotations.runbook))]).toEqual([alert, true]);
    expect([alert, ["critical", "warning", "info"].includes(labels.severity)]).toEqual([alert, true]);
    expect(annotations.summary).not.toBe("");
  }
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
});

test("every record that boards and rules use is written by a rule", () => {
  const used = queries.flatMap((query) => [...query.matchAll(/\bpostern:[a-z0-9_:]+/gu)].map(([name]) => name));
  expect(new Set(used)).toEqual(records);
});

test("each service has its dashboard, and so have the site and its objectives", () => {
  const services = globSync("services/*", { cwd: root }).map((path) => path.replace("services/", ""));
  expect(Object.keys(boards).toSorted()).toEqual([...services, "overview", "slo"].toSorted());
});
