import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { execute } from "../tools/checks/execute.ts";
import type { Memory } from "./measure/memory.ts";
import type { Row } from "./measure/row.ts";
import { reportLines } from "./report/print.ts";
import { record } from "./report/record.ts";
import type { Results } from "./report/results.ts";
import { targetsOf } from "./report/targets.ts";
import { measureBareHttp } from "./scenarios/baselines.ts";
import { measureBesideRevision } from "./scenarios/beside-revision.ts";
import { measureBusy } from "./scenarios/busy.ts";
import { measureCallers } from "./scenarios/callers.ts";
import { measureConsole } from "./scenarios/console.ts";
import { measureEndurance } from "./scenarios/endurance.ts";
import { measureFeatures } from "./scenarios/features.ts";
import { measureFirstDecision } from "./scenarios/first-decision.ts";
import { measureFixedRate } from "./scenarios/fixed-rate.ts";
import { measureGuarded } from "./scenarios/guarded.ts";
import { measureIdentity } from "./scenarios/identity.ts";
import { measureImageSize } from "./scenarios/image-size.ts";
import { measureLdap } from "./scenarios/ldap.ts";
import { measureCountedLdap } from "./scenarios/ldap-counted.ts";
import { measureMillionBans } from "./scenarios/million-bans.ts";
import { measureMillionUsers } from "./scenarios/million-users.ts";
import { measureOneProcess, measureOneProcessStarts } from "./scenarios/one-process.ts";
import { measurePages } from "./scenarios/pages.ts";
import { measureRhythm } from "./scenarios/rhythm.ts";
import { measureRiskMemory } from "./scenarios/risk-memory.ts";
import { measureSamlSignIns } from "./scenarios/saml-sign-ins.ts";
import { measureScripts } from "./scenarios/scripts.ts";
import { measureSideBySide } from "./scenarios/side-by-side.ts";
import { type Measurements, measureSql } from "./scenarios/sql.ts";
import { measureStarts } from "./scenarios/starts.ts";
import { measureTracing } from "./scenarios/tracing.ts";
import { stopOnSignals } from "./stack/interruption.ts";
import { type Servers, startServers } from "./stack/servers.ts";

/** Longer than a build beside other work takes. */
const buildWithinMs = 600_000;

function say(line: string): void {
  console.log(line);
}

/** Builds the bundles of the services. */
async function build(): Promise<void> {
  const { code, output } = await execute(process.execPath, ["tools/bundle.ts"], buildWithinMs);
  if (code !== 0) throw new Error(`the build failed:\n${output}`);
}

interface Selection {
  /** Whether to run the scenarios that take long, too. */
  readonly long: boolean;
  /** Words in the names of the scenarios to run, long or not; all if absent. */
  readonly only: readonly string[] | undefined;
  /** Duration of the scenario "memory under load". */
  readonly minutes: number;
}

/** Results as scenario after scenario adds to them. */
type Growing = { -readonly [Key in keyof Results]: Results[Key] } & { rows: Row[]; memories: Memory[] };

type Scenario = readonly [name: string, run: () => Promise<unknown>];

/** Add the rows, and the memory of the processes, of a scenario. */
const adding = (into: Growing) => ({
  rows: async (of: Promise<readonly Row[]>): Promise<void> => void into.rows.push(...(await of)),
  loaded: async (of: Promise<Measurements>): Promise<void> => {
    const measured = await of;
    into.rows.push(...measured.rows);
    into.memories.push(...measured.memories);
  },
});

/** In the order in which they run; each stops what it has started. */
function scenariosOf(servers: Servers, into: Growing): readonly Scenario[] {
  const { rows, loaded } = adding(into);
  const countedLdap = async (): Promise<void> => {
    const { row, redisCommands, commandsOfWindows } = await measureCountedLdap(servers);
    into.rows.push(row);
    Object.assign(into, { redisCommands, commandsOfWindows });
  };
  const starts = async (): Promise<void> => {
    into.starts = [...(await measureStarts(servers)), await measureOneProcessStarts(servers)];
  };
  return [
    ["bare HTTP server", () => rows(measureBareHttp(servers))],
    ["the skeleton, decisions cached and counted", () => loaded(measureGuarded(servers))],
    ["decisions, LDAP", () => loaded(measureLdap(servers))],
    ["failures, LDAP", countedLdap],
    ["the rhythm of mail programs", () => rows(measureRhythm(servers))],
    ["beside an earlier revision", () => rows(measureBesideRevision(servers))],
    ["one process", () => rows(measureOneProcess(servers))],
    ["features", async () => void (into.features = await measureFeatures(servers))],
    ["introspection and userinfo", () => loaded(measureIdentity(servers))],
    ["SAML sign-ins", async () => into.rows.push(await measureSamlSignIns(servers))],
    ["pages", () => rows(measurePages(servers))],
    ["starts of the services", starts],
    ["the first decision", async () => void (into.firstDecision = await measureFirstDecision("five"))],
    ["one process: the first decision", async () => void (into.firstOfOne = await measureFirstDecision("one"))],
    ["size of the image", async () => void (into.imageMb = await measureImageSize(servers))],
  ];
}

function longScenariosOf(servers: Servers, into: Growing, minutes: number): readonly Scenario[] {
  const { rows, loaded } = adding(into);
  return [
    ["decisions, SQLite", () => loaded(measureSql(servers))],
    ["callers", () => rows(measureCallers(servers))],
    ["decisions at fixed rates", () => rows(measureFixedRate(servers))],
    ["one process with other work", () => rows(measureBusy(servers))],
    ["traces", () => rows(measureTracing(servers))],
    ["site scripts", () => rows(measureScripts(servers))],
    ["a million users", async () => into.rows.push(...(await measureMillionUsers(servers)))],
    ["facts about a million accounts", async () => void (into.factsGb = await measureRiskMemory())],
    ["a million bans", async () => void (into.management = await measureMillionBans(servers))],
    ["the console with a million bans", async () => void (into.consolePages = await measureConsole(servers))],
    ["beside other products", async () => void (into.beside = await measureSideBySide(servers))],
    ["memory under load", async () => void (into.endurance = await measureEndurance(servers, { minutes, say }))],
  ];
}

/** Runs the selected scenarios. */
async function measure(servers: Servers, { long, only, minutes }: Selection): Promise<Results> {
  const machine = { cores: availableParallelism(), model: cpus()[0]?.model ?? "unknown", node: process.version };
  const results: Growing = {
    machine,
    rows: [],
    memories: [],
    starts: [],
    beside: [],
    endurance: [],
    management: [],
    consolePages: [],
  };
  const all = [...scenariosOf(servers, results), ...longScenariosOf(servers, results, minutes)];
  const short = scenariosOf(servers, results).length;
  const selected =
    only === undefined
      ? all.slice(0, long ? all.length : short)
      : all.filter(([name]) => only.some((words) => name.includes(words)));
  if (selected.length === 0) throw new Error(`no scenario's name contains "${only?.join('", "')}"`);
  for (const [name, run] of selected) {
    const began = performance.now();
    await run();
    say(`measured: ${name}, ${Math.round((performance.now() - began) / 1000)} s`);
  }
  return results;
}

async function main(): Promise<void> {
  process.chdir(join(import.meta.dirname, ".."));
  const { values } = parseArgs({
    options: {
      long: { type: "boolean", default: false },
      only: { type: "string", multiple: true },
      minutes: { type: "string", default: "30" },
      record: { type: "boolean", default: false },
    },
  });
  await build();
  const started = performance.now();
  await using servers = await startServers();
  stopOnSignals(servers.folder);
  const results = await measure(servers, { long: values.long, only: values.only, minutes: Number(values.minutes) });
  const targets = targetsOf(results);
  say("");
  for (const line of reportLines(results, targets)) say(line);
  mkdirSync(".run/bench", { recursive: true });
  writeFileSync(".run/bench/latest.json", `${JSON.stringify({ ...results, targets }, undefined, 2)}\n`);
  if (values.record) record(results, targets, { isLong: values.long, isPart: values.only !== undefined });
  say(`\nIn ${Math.round((performance.now() - started) / 1000)} s; the same as data in .run/bench/latest.json`);
}

try {
  await main();
} catch (error) {
  console.error(`bench: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
