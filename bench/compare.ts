// Measures the services of several working trees in turn, under the same load. Usage: bench/compare.ts LOAD FOLDER [FOLDER ...]
// Each folder needs `make build`. Features follow it that are on by default, newer than revision 85f8f812 and to be turned off: `FOLDER:risk`
// (the detection of stolen passwords), `FOLDER:history` (the decision history), `FOLDER:delay` (the account delay), `FOLDER:risk:history`;
// `FOLDER:plain` turns off all three.
// Loads: those of bench/scenarios/loads.ts.
import { join, resolve } from "node:path";
import { runAtFixedRate } from "./generator/fixed-rate.ts";
import { runWrk } from "./generator/wrk.ts";
import { figureOf } from "./measure/added.ts";
import { roles } from "./measure/processes.ts";
import { commandsPerRequest, readCommandStats } from "./measure/redis-commands.ts";
import { measureOnce, type Row, type RowPlan } from "./measure/row.ts";
import { decisionPlan } from "./scenarios/decision-row.ts";
import { type Load, loadsOf } from "./scenarios/loads.ts";
import { saltedSha256, writeSqlBackend } from "./stack/backends.ts";
import { writeBodies } from "./stack/bodies.ts";
import type { Protection } from "./stack/config.ts";
import { type PosternOptions, startPostern } from "./stack/postern.ts";
import { type Servers, startServers } from "./stack/servers.ts";
import { sqlUserCount } from "./stack/users.ts";

/**
 * Two starts of one revision differ by up to a tenth, by the placement of code and data. So the services of each folder are started several
 * times, in changing order.
 */
const starts = 8;
const roundsPerStart = 4;
const connections = 64;

const features = ["risk", "history", "delay"];

function withoutDelay({ controls, ...others }: Protection): Protection {
  const { brute_force, ...more }: { readonly brute_force?: object } = controls;
  return { ...others, controls: { ...more, brute_force: { ...brute_force, account_delay: { enabled: false } } } };
}

/** The features that `FOLDER:feature:feature` turns off. */
function turnedOff(variants: readonly string[]): ReadonlySet<string> {
  const unknown = variants.find((variant) => variant !== "plain" && !features.includes(variant));
  if (unknown !== undefined) throw new Error(`unknown feature ${unknown}: one of plain, ${features.join(", ")}`);
  return new Set(variants.includes("plain") ? features : variants);
}

function optionsOf(folder: string, { postern }: Load, servers: Servers): PosternOptions {
  const [tree = "", ...variants] = folder.split(":");
  const off = turnedOff(variants);
  const { protection } = postern;
  return {
    ...postern,
    ...(off.has("delay") && protection !== undefined && { protection: withoutDelay(protection) }),
    auth: { ...postern.auth, ...(off.has("risk") && { risk: { mode: "off" } }) },
    ...(off.has("history") && { observability: { decision_history: { enabled: false } } }),
    servers,
    tree: resolve(tree),
  };
}

/** Counts the commands of Redis beside the row. */
function counting(plan: RowPlan, redisPort: number, perRequest: number[]): RowPlan {
  return {
    ...plan,
    generate: async (seconds) => {
      const before = await readCommandStats(redisPort);
      const report = await plan.generate(seconds);
      const counts = commandsPerRequest(before, await readCommandStats(redisPort), report.requests);
      perRequest.push(Object.values(counts).reduce((sum, count) => sum + count, 0));
      return report;
    },
  };
}

const shown = (values: readonly number[]): string => {
  const { median, lowest, highest } = figureOf(values);
  return `${median.toFixed(median < 20 ? 2 : 0)} (${lowest.toFixed(median < 20 ? 2 : 0)} to ${highest.toFixed(median < 20 ? 2 : 0)})`;
};

const oursOf = ({ cpuMicros }: Row): number => cpuMicros.total - cpuMicros.slapd;

interface Compared {
  readonly folder: string;
  readonly rows: Row[];
  readonly commands: number[];
}

/** `first` are the rows of the first folder: round by round, what slows all folders down cancels out. */
function report({ folder, rows, commands }: Compared, first: readonly Row[]): void {
  console.log(`\n${folder}`);
  console.log(`  CPU without slapd ${shown(rows.map(oursOf))} µs`);
  const ratios = rows.map((row, round) => oursOf(row) / oursOf(first[round] ?? row));
  console.log(`  relative to the first folder, round by round ${shown(ratios)}`);
  for (const role of roles) console.log(`  ${role.padEnd(8)} ${shown(rows.map(({ cpuMicros }) => cpuMicros[role]))}`);
  console.log(`  req/s ${shown(rows.map((row) => row.requestsPerSecond))}`);
  console.log(`  p50 ${shown(rows.map((row) => row.p50Ms))} ms, p99 ${shown(rows.map((row) => row.p99Ms))} ms`);
  console.log(`  Redis commands ${shown(commands)}`);
}

interface Measured {
  readonly name: string;
  readonly load: Load;
  readonly servers: Servers;
  readonly bodiesFile: string;
}

/** Starts the services of a folder and warms them up. */
async function started(
  { folder, commands }: Compared,
  { name, load, servers, bodiesFile }: Measured,
  owned: AsyncDisposableStack,
): Promise<RowPlan> {
  const { perSecond, query = "", outcome, bodies } = load;
  const { format } = bodies;
  const postern = owned.use(await startPostern(optionsOf(folder, load, servers)));
  const url = `${new URL(format ?? "json", postern.url).href}${query}`;
  const plan = decisionPlan(postern, {
    id: "cached",
    title: name,
    connections,
    bodiesFile,
    outcome,
    query,
    ...(format !== undefined && { format }),
  });
  // V8 compiles the hot path only after some thousand requests.
  await runWrk({ url, bodiesFile, connections, format }, 4);
  const generate: RowPlan["generate"] = (seconds) =>
    runAtFixedRate({ url, bodiesFile, connections, perSecond: perSecond ?? 0 }, seconds);
  return counting(perSecond === undefined ? plan : { ...plan, generate }, servers.redisPort, commands);
}

/** One start of all folders, of which the one at `first` is the first. */
async function measureStart(compared: readonly Compared[], first: number, measured: Measured): Promise<void> {
  await using owned = new AsyncDisposableStack();
  const plans = new Map<Compared, RowPlan>();
  for (const each of [...compared.slice(first), ...compared.slice(0, first)])
    plans.set(each, await started(each, measured, owned));
  const order = [...plans];
  for (let round = 0; round < roundsPerStart; round += 1) {
    for (const [{ rows }, plan] of round % 2 === 0 ? order : order.toReversed()) rows.push(await measureOnce(plan, 2));
  }
}

async function main(): Promise<void> {
  process.chdir(join(import.meta.dirname, ".."));
  const [name = "", ...folders] = process.argv.slice(2);
  await using owned = new AsyncDisposableStack();
  const servers = owned.use(await startServers());
  const file = join(servers.folder, "compare.sqlite");
  await writeSqlBackend(file, sqlUserCount, saltedSha256());
  const loads: Readonly<Record<string, Load>> = await loadsOf(servers, file);
  const load = loads[name];
  if (load === undefined || folders.length === 0)
    throw new Error(`one of ${Object.keys(loads).join(", ")}, and folders`);
  const bodiesFile = await writeBodies(servers.folder, "compare", load.bodies);
  const compared = folders.map((folder): Compared => ({ folder, rows: [], commands: [] }));
  for (let start = 0; start < starts; start += 1)
    await measureStart(compared, start % compared.length, { name, load, servers, bodiesFile });
  for (const each of compared) report(each, compared[0]?.rows ?? []);
}

await main();
