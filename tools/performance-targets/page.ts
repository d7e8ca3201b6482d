import { isBeside, type Recorded, type RecordedRow, type RecordedTarget } from "../../bench/report/record.ts";

/** Explanations of missed targets, each with its targets. */
export interface Explanation {
  readonly titles: readonly string[];
  readonly text: string;
}

const heading = /^## (.+)$/u;

/** Parses paragraphs, each below the titles of the targets that it explains. */
export function parseExplanations(text: string): readonly Explanation[] {
  const explanations: Explanation[] = [];
  let titles: string[] = [];
  let lines: string[] = [];
  const end = (): void => {
    if (titles.length > 0) explanations.push({ titles, text: lines.join("\n").trim() });
    [titles, lines] = [[], []];
  };
  for (const line of text.split("\n")) {
    const title = heading.exec(line)?.[1];
    if (title === undefined) lines.push(line);
    else {
      if (lines.some((one) => one.trim() !== "")) end();
      titles.push(title.trim());
    }
  }
  end();
  return explanations;
}

/** Titles of the memory run, which is rarely recorded. */
const ofMemoryRun = /: memory (at the end of 30 minutes|after 30 minutes \/ after five)$/u;

const isMissed = ({ met }: RecordedTarget): boolean => met === false;

/** What is wrong with the explanations; the page can be made if there is nothing. */
export function faultsOf(targets: readonly RecordedTarget[], explanations: readonly Explanation[]): readonly string[] {
  const explained = explanations.flatMap(({ titles }) => titles);
  const known = new Set(targets.map(({ title }) => title));
  return [
    ...targets
      .filter((target) => isMissed(target) && !explained.includes(target.title))
      .map(({ title }) => `"${title}" is missed and not explained`),
    ...explained
      .filter((title) => !known.has(title) && !ofMemoryRun.test(title))
      .map((title) => `no target is called "${title}"`),
    ...explained.filter((title, index) => explained.indexOf(title) !== index).map((title) => `"${title}" is twice`),
    ...explanations.filter(({ text }) => text === "").map(({ titles }) => `"${titles[0]}" has no text`),
  ];
}

function verdict({ met, isNear = false }: RecordedTarget): string {
  return met === true ? "yes" : isNear ? "no, by up to 10 %" : "no";
}

function row(target: RecordedTarget): string {
  const { title, target: limit, measured, range = "", date, otherCores } = target;
  return `| ${[title, limit, measured, range, verdict(target), date, otherCores.toFixed(2)].join(" | ")} |`;
}

/** One item for each explanation of a missed target. */
function missed(targets: readonly RecordedTarget[], { titles, text }: Explanation): readonly string[] {
  const of = targets.filter((target) => isMissed(target) && titles.includes(target.title));
  if (of.length === 0) return [];
  const names = of.map(({ title, target, measured }) => `${title} (${measured}, target ${target})`).join("; ");
  return [`**${names}.** ${text}`];
}

const roles = ["total", "gateway", "engine", "nats", "slapd", "redis"] as const;

/** Nothing below half a tenth. */
function figure(value: number): string {
  if (value < 0.05) return "";
  if (value >= 100) return Math.round(value).toLocaleString("en");
  return value.toFixed(value < 10 ? 1 : 0);
}

function milliseconds(value: number): string {
  return value < 1 ? value.toFixed(2) : figure(value);
}

function costs({ title, connections, requestsPerSecond, p50Ms, p99Ms, cpuMicros, otherCores }: RecordedRow): string {
  const latency = `${milliseconds(p50Ms)} / ${milliseconds(p99Ms)}`;
  const cells = [title, connections === 0 ? "" : connections, figure(requestsPerSecond), latency];
  return `| ${[...cells, ...roles.map((role) => figure(cpuMicros[role])), otherCores.toFixed(2)].join(" | ")} |`;
}

function perCpuSecond(micros: number): string {
  return Math.round(1e6 / micros).toLocaleString("en");
}

/** The LDAP server's CPU time is counted apart, because it does the same work for each product. */
function beside({ title, cpuMicros: { total, slapd }, requestsPerSecond, otherCores }: RecordedRow): string {
  const own = total - slapd;
  const cells = [title, figure(own), figure(slapd), perCpuSecond(own), perCpuSecond(total), figure(requestsPerSecond)];
  return `| ${[...cells, otherCores.toFixed(2)].join(" | ")} |`;
}

export function targetsPage({ machine, targets, rows }: Recorded, explanations: readonly Explanation[]): string {
  const met = targets.filter((target) => target.met === true).length;
  return `<!-- Made from bench/recorded by tools/generate-performance-targets.ts; do not edit. -->

# Performance targets

What \`make bench\` measured beside each target: the median of five rounds and their range. Ratios compare rows that were measured in turn, so
they depend little on the machine; microseconds, milliseconds and MiB belong to this one. [Capacity](../operate/capacity.md) explains the rows, and
what they mean for the size of a site.

Machine: ${machine.cores} cores (${machine.model}) with the load generator on them, Node ${machine.node}. *Other* is the number of cores that other programs used
meanwhile, the median of the run's rows; above 0.1, rates and latencies are unreliable.

| Target | Limit | Measured | Range | Met | Run | Other |
|---|---|---|---|---|---|---|
${targets.map(row).join("\n")}

${met} of ${targets.length} targets are met. A target that is missed by at most a tenth is missed too, and marked.

## Missed targets

What was tried for each target that this table says is missed, and what the limit is.

${explanations.flatMap((one) => missed(targets, one)).join("\n\n")}

## Measured costs

CPU time per request in µs by process; the columns are explained in [capacity](benchmark.md#read-the-results).

| Row | conn | req/s | p50 / p99 ms | CPU µs total | gateway | engine | nats | slapd | redis | other |
|---|---|---|---|---|---|---|---|---|---|---|
${rows
  .filter(({ id }) => !isBeside(id))
  .map(costs)
  .join("\n")}

## Beside other products

The same slapd, users and passwords, a search and a bind; and the same from each product's cache ([what they do
less](benchmark.md#beside-other-products)). Decisions per CPU-second: of the product's own CPU time, and of it and slapd's together.

| Work | own µs | slapd µs | per own CPU-second | of all | req/s | other |
|---|---|---|---|---|---|---|
${rows
  .filter(({ id }) => isBeside(id))
  .map(beside)
  .join("\n")}
`;
}
