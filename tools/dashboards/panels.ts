import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Value and colour from which on a value has it; the first colour applies to all lower values. */
export type Thresholds = readonly [lowest: string, ...steps: (readonly [from: number, color: string])[]];

export interface Panel {
  readonly title: string;
  /** What operators read when they point at the title. */
  readonly description: string;
  /** Queries, with the name of their series in Grafana's syntax. */
  readonly series: readonly { readonly query: string; readonly legend: string }[];
  readonly unit: "ops" | "s" | "short" | "bytes" | "percentunit" | "none";
  /** `timeseries` by default. */
  readonly type?: "stat" | "table";
  readonly thresholds?: Thresholds;
  readonly isStacked?: boolean;
}

export type Options = Partial<Pick<Panel, "description" | "thresholds" | "isStacked" | "unit">>;

const reference = readFileSync(join(import.meta.dirname, "../../docs/reference/metrics.md"), "utf8");

/** What the metrics reference says of each metric, without its links. */
const meanings: ReadonlyMap<string, string> = new Map(
  [...reference.matchAll(/^\| `([a-z_]+)` \| (?:counter|histogram|gauge) \| [^|]*\| (.+) \|$/gmu)].map(
    ([, name = "", meaning = ""]) => [name, meaning.replaceAll(/\[([^\]]+)\]\([^)]+\)/gu, "$1")],
  ),
);

export function meaningOf(metric: string): string {
  const meaning = meanings.get(metric);
  if (meaning === undefined) throw new Error(`docs/reference/metrics.md has no ${metric}`);
  return meaning;
}

/** Any value from `limit` on is bad. */
export const badFrom = (limit: number): Thresholds => ["green", [limit, "red"]];
export const worseFrom = (warning: number, bad: number): Thresholds => ["green", [warning, "orange"], [bad, "red"]];
/** Any value below `limit` is bad. */
export const badBelow = (limit: number): Thresholds => ["red", [limit, "green"]];

const legendOf = (by: string): string => by.replaceAll(/\w+/gu, "{{$&}}").replaceAll(",", "");

/** How often a counter grows, by labels. */
export const rate = (metric: string, by: string, title: string, options: Options = {}): Panel => ({
  title,
  description: meaningOf(metric.replace(/_count$/u, "")),
  series: [{ query: `sum by (${by}) (rate(${metric}[$__rate_interval]))`, legend: legendOf(by) }],
  unit: "ops",
  ...options,
});

export const quantile = (metric: string, by: string, title: string, options: Options = {}): Panel => ({
  title,
  description: `${meaningOf(metric)}. 99 of 100 took at most this long; nothing is shown while none is observed`,
  series: [
    {
      query: `histogram_quantile(0.99, sum by (le, ${by}) (rate(${metric}_bucket[$__rate_interval])))`,
      legend: legendOf(by),
    },
  ],
  unit: "s",
  ...options,
});

/** The value of a gauge at each instance. */
export const level = (metric: string, title: string, options: Options = {}): Panel => ({
  title,
  description: meaningOf(metric),
  series: [{ query: metric, legend: "{{instance}}" }],
  unit: "short",
  ...options,
});

/** One number for a query, or for each of its series. */
export const stat = (
  title: string,
  query: string,
  { description, thresholds, unit, legend = title }: Omit<Panel, "title" | "series" | "type"> & { legend?: string },
): Panel => ({
  title,
  description,
  series: [{ query, legend }],
  unit,
  type: "stat",
  ...(thresholds && { thresholds }),
});
