import { isBeside, type Recorded, type RecordedRow, type RecordedTarget } from "../../bench/report/record.ts";

function row({ title, target, measured, range = "", date, otherCores }: RecordedTarget): string {
  return `| ${[title, target, measured, range, date, otherCores.toFixed(2)].join(" | ")} |`;
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

export function targetsPage({ machine, targets, rows }: Recorded): string {
  return `<!-- Made from bench/recorded by tools/generate-performance-targets.ts; do not edit. -->

# Performance targets

What \`make bench\` measured beside each target: the median of five rounds and their range. Ratios compare rows that were measured in turn, so
they depend little on the machine; microseconds, milliseconds and MiB belong to this one. [Capacity](../operate/capacity.md) explains the rows, and
what they mean for the size of a site.

Machine: ${machine.cores} cores (${machine.model}) with the load generator on them, Node ${machine.node}. *Other* is the number of cores that other programs used
meanwhile, the median of the run's rows; above 0.1, rates and latencies are unreliable.

| Target | Limit | Measured | Range | Run | Other |
|---|---|---|---|---|---|
${targets.map(row).join("\n")}

A limit is met, or changed with a reason ([0261](decisions/0261-set-performance-targets-by-what-the-design-can-reach.md)).

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
