import { roles } from "../measure/processes.ts";
import type { Row } from "../measure/row.ts";
import type { FeatureCost } from "../scenarios/features.ts";
import type { Results } from "./results.ts";
import type { Target } from "./target.ts";

const titleWidth = 45;

function number(value: number, width: number, digits = 0): string {
  return value.toFixed(digits).padStart(width);
}

function latency(ms: number): string {
  return number(ms, 8, ms < 10 ? 2 : 1);
}

function header(): string {
  const cpu = ["total", ...roles].map((name) => name.padStart(8)).join("");
  return `${"".padEnd(titleWidth)}${"conn".padStart(5)}${"req/s".padStart(8)}${"p50 ms".padStart(8)}${"p99 ms".padStart(8)}${cpu}${"other".padStart(6)}`;
}

function line({ title, connections, requestsPerSecond, p50Ms, p99Ms, cpuMicros, otherCores }: Row): string {
  const cpu = [cpuMicros.total, ...roles.map((role) => cpuMicros[role])];
  const shown = cpu.map((micros) => (micros < 0.05 ? "-".padStart(8) : number(micros, 8, micros < 100 ? 1 : 0)));
  const conn = connections === 0 ? "-".padStart(5) : number(connections, 5);
  return `${title.padEnd(titleWidth)}${conn}${number(requestsPerSecond, 8)}${latency(p50Ms)}${latency(p99Ms)}${shown.join("")}${number(otherCores, 6, 2)}`;
}

function table(results: Results): readonly string[] {
  return results.rows.map(line);
}

function targetLine({ title, target, measured, range = "", met, isNear = false }: Target): string {
  const verdict = met === undefined ? "" : met ? "ok" : isNear ? "miss by up to 10 %" : "MISS";
  return `  ${title.padEnd(58)}${target.padStart(12)}${measured.padStart(14)}${range.padStart(18)}   ${verdict}`.trimEnd();
}

const microsPerSecond = 1e6;

/** All of the CPU time that a decision takes, and without that of the LDAP server. */
function besideLine({ title, cpuMicros: { total, slapd }, requestsPerSecond }: Row): string {
  const own = total - slapd;
  const figures = [own, slapd, microsPerSecond / own, microsPerSecond / total, requestsPerSecond];
  return `  ${title.padEnd(24)}${figures.map((value) => number(value, 10)).join("")}`;
}

const besideHeader = `  ${"".padEnd(24)}${["own µs", "slapd µs", "/s own", "/s all", "req/s"].map((name) => name.padStart(10)).join("")}`;

function featureLine({ feature, kind, cpuMicros, redisCommands, redisBytes }: FeatureCost): string {
  const { median, lowest, highest } = cpuMicros;
  const cpu = `${median.toFixed(1)} µs (${lowest.toFixed(1)} to ${highest.toFixed(1)})`;
  return `  ${feature.padEnd(31)}${kind.padEnd(16)}${cpu.padStart(28)}${number(redisCommands.median, 9, 2)} commands${number(redisBytes.median, 9)} bytes`;
}

/** The whole report as lines of at most 120 columns. */
export function reportLines(results: Results, targets: readonly Target[]): readonly string[] {
  const { machine, memories, starts, management, consolePages, features = [] } = results;
  const memory = memories.map(
    ({ service, load, idleMib, loadedMib }) =>
      `  ${service.padEnd(14)}${load.padEnd(8)}${number(idleMib, 6)} → ${number(loadedMib.median, 4)}`,
  );
  const start = starts.map(
    ({ service, readyAfterMs, cpuMs, idleMib }) =>
      `  ${service.padEnd(14)}${number(readyAfterMs.median, 6)} ms, ${number(cpuMs.median, 4)} ms of processor, ${number(idleMib.median, 4)} MiB idle`,
  );
  const commands = Object.entries(results.redisCommands ?? {}).map(([name, calls]) => `${name} ${calls.toFixed(1)}`);
  const managementLines = management.map(
    ({ title, samples, p50Ms, p99Ms }) => `  ${title.padEnd(40)}${latency(p50Ms)} /${latency(p99Ms)} ms, of ${samples}`,
  );
  const consoleLines = consolePages.map(
    ({ title, samples, cpuMs }) => `  ${title.padEnd(40)}${latency(cpuMs)} ms, of ${samples}`,
  );
  const missed = targets.filter(({ met }) => met === false).length;
  const met = targets.filter((one) => one.met === true).length;
  const near = targets.filter(({ isNear }) => isNear === true).length;
  return [
    `${machine.cores} cores (${machine.model}), Node ${machine.node}; everything and the generator on this machine`,
    "CPU: µs on a core per request, by process, without the generator. other: cores that something else used",
    "",
    header(),
    ...table(results),
    "",
    "Start to ready, the median of five",
    ...start,
    "",
    ...(commands.length > 0 ? ["Redis commands of a wrong password, LDAP", `  ${commands.join(", ")}`, ""] : []),
    ...(features.length > 0
      ? ["What a decision costs more with a feature: CPU, Redis commands and memory", ...features.map(featureLine), ""]
      : []),
    "Memory, MiB resident: idle → loaded",
    ...memory,
    "",
    ...(results.beside.length > 0
      ? [
          "The same work: CPU of a decision, decisions per CPU-second",
          besideHeader,
          ...results.beside.map(besideLine),
          "",
        ]
      : []),
    ...(managementLines.length > 0
      ? ["Management API with a million bans, one after the other: p50 / p99", ...managementLines, ""]
      : []),
    ...(consoleLines.length > 0 ? ["Pages of the console with a million bans: CPU", ...consoleLines, ""] : []),
    "Targets, as ratios in this run: median and range of the rounds",
    ...targets.map(targetLine),
    `  ${met} met, ${missed} missed (${near} of them by up to 10 %)`,
  ];
}
