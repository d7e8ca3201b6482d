// Compares the cost of Postern's decisions with lower bounds, in one run. Usage: bench/run.ts [--long] [--only WORDS]
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { execute } from "../tools/checks/execute.ts";
import type { Figure } from "./measure/added.ts";
import type { Memory } from "./measure/memory.ts";
import type { CommandCounts } from "./measure/redis-commands.ts";
import type { Row } from "./measure/row.ts";
import type { Times } from "./measure/times.ts";
import { reportLines } from "./report/print.ts";
import type { Results } from "./report/results.ts";
import { targetsOf } from "./report/targets.ts";
import { measureBareHttp } from "./scenarios/baselines.ts";
import { measureCallers } from "./scenarios/callers.ts";
import { measureConsole, type PageCost } from "./scenarios/console.ts";
import { type Endurance, measureEndurance } from "./scenarios/endurance.ts";
import { type FirstDecision, measureFirstDecision } from "./scenarios/first-decision.ts";
import { measureFixedRate } from "./scenarios/fixed-rate.ts";
import { measureGuarded } from "./scenarios/guarded.ts";
import { measureHistory } from "./scenarios/history.ts";
import { measureIdentity } from "./scenarios/identity.ts";
import { measureLdap } from "./scenarios/ldap.ts";
import { measureCountedLdap } from "./scenarios/ldap-counted.ts";
import { measureMillionBans } from "./scenarios/million-bans.ts";
import { measureMillionUsers } from "./scenarios/million-users.ts";
import { measurePages } from "./scenarios/pages.ts";
import { measureRisk } from "./scenarios/risk.ts";
import { measureRiskMemory } from "./scenarios/risk-memory.ts";
import { measureSamlSignIns } from "./scenarios/saml-sign-ins.ts";
import { measureScripts } from "./scenarios/scripts.ts";
import { measureSideBySide } from "./scenarios/side-by-side.ts";
import { measureSql } from "./scenarios/sql.ts";
import { measureStarts, type Start } from "./scenarios/starts.ts";
import { stopOnSignals } from "./stack/interruption.ts";
import { type Servers, startServers } from "./stack/servers.ts";

const buildWithinMs = 120_000;

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
  /** Words in the names of the scenarios to run; all if absent. */
  readonly only: string | undefined;
}

/** Runs the scenarios in this order; each stops what it has started. */
async function measure(servers: Servers, { long, only }: Selection): Promise<Results> {
  const rows: Row[] = [];
  const memories: Memory[] = [];
  let starts: readonly Start[] = [];
  let firstDecision: FirstDecision | undefined;
  let redisCommands: CommandCounts | undefined;
  let commandsOfWindows: Figure | undefined;
  let beside: readonly Row[] = [];
  let commandsOfScoring: Figure | undefined;
  let factsGb: number | undefined;
  let endurance: readonly Endurance[] = [];
  let management: readonly Times[] = [];
  let consolePages: readonly PageCost[] = [];
  const decisions = async (of: typeof measureSql): Promise<void> => {
    const measured = await of(servers);
    rows.push(...measured.rows);
    memories.push(...measured.memories);
  };
  const scenarios: readonly [string, () => Promise<unknown>][] = [
    ["bare HTTP server", async () => rows.push(...(await measureBareHttp(servers)))],
    ["the skeleton, decisions cached and counted", () => decisions(measureGuarded)],
    ["decisions, SQLite", () => decisions(measureSql)],
    ["callers", async () => rows.push(...(await measureCallers(servers)))],
    ["decisions, LDAP", () => decisions(measureLdap)],
    [
      "failures, LDAP",
      async () => {
        const measured = await measureCountedLdap(servers);
        rows.push(measured.row);
        ({ redisCommands, commandsOfWindows } = measured);
      },
    ],
    ["decisions at fixed rates", async () => rows.push(...(await measureFixedRate(servers)))],
    ["decision history", async () => rows.push(...(await measureHistory(servers)))],
    [
      "stolen passwords",
      async () => {
        const measured = await measureRisk(servers);
        rows.push(...measured.rows);
        ({ commandsOfScoring } = measured);
      },
    ],
    ["site scripts", async () => rows.push(...(await measureScripts(servers)))],
    ["introspection and userinfo", async () => rows.push(...(await measureIdentity(servers)))],
    ["SAML sign-ins", async () => rows.push(await measureSamlSignIns(servers))],
    ["pages", async () => rows.push(...(await measurePages(servers)))],
    ["starts of the services", async () => void (starts = await measureStarts(servers))],
    ["the first decision", async () => void (firstDecision = await measureFirstDecision(servers))],
  ];
  const longScenarios: typeof scenarios = [
    ["a million users", async () => rows.push(...(await measureMillionUsers(servers)))],
    ["facts about a million accounts", async () => void (factsGb = await measureRiskMemory())],
    ["a million bans", async () => void (management = await measureMillionBans(servers))],
    ["the console with a million bans", async () => void (consolePages = await measureConsole(servers))],
    ["beside other products", async () => void (beside = await measureSideBySide(servers))],
    ["half an hour of load", async () => void (endurance = await measureEndurance(servers, say))],
  ];
  const selected = (long ? [...scenarios, ...longScenarios] : scenarios).filter(([name]) => name.includes(only ?? ""));
  if (selected.length === 0) throw new Error(`no scenario's name contains "${only}"`);
  for (const [name, run] of selected) {
    const began = performance.now();
    await run();
    say(`measured: ${name}, ${Math.round((performance.now() - began) / 1000)} s`);
  }
  const machine = { cores: availableParallelism(), model: cpus()[0]?.model ?? "unknown", node: process.version };
  return {
    machine,
    rows,
    starts,
    firstDecision,
    redisCommands,
    commandsOfWindows,
    commandsOfScoring,
    factsGb,
    memories,
    beside,
    endurance,
    management,
    consolePages,
  };
}

async function main(): Promise<void> {
  process.chdir(join(import.meta.dirname, ".."));
  const { values } = parseArgs({ options: { long: { type: "boolean", default: false }, only: { type: "string" } } });
  await build();
  const started = performance.now();
  await using servers = await startServers();
  stopOnSignals(servers.folder);
  const results = await measure(servers, { long: values.long, only: values.only });
  const targets = targetsOf(results);
  say("");
  for (const line of reportLines(results, targets)) say(line);
  mkdirSync(".run/bench", { recursive: true });
  writeFileSync(".run/bench/latest.json", `${JSON.stringify({ ...results, targets }, undefined, 2)}\n`);
  say(`\nIn ${Math.round((performance.now() - started) / 1000)} s; the same as data in .run/bench/latest.json`);
}

try {
  await main();
} catch (error) {
  console.error(`bench: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
