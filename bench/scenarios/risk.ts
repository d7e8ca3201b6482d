import { join } from "node:path";
import { runWrk } from "../generator/wrk.ts";
import { type Figure, figureOf } from "../measure/added.ts";
import { commandsPerRequest, readCommandStats } from "../measure/redis-commands.ts";
import { measureInTurn, type Row, type RowPlan } from "../measure/row.ts";
import { writeSqlBackend } from "../stack/backends.ts";
import { writeBodies } from "../stack/bodies.ts";
import { guarded, sqlBackends } from "../stack/config.ts";
import { startPostern } from "../stack/postern.ts";
import type { Servers } from "../stack/servers.ts";
import { userPassword } from "../stack/users.ts";
import { decisionPlan } from "./decision-row.ts";

/** Few, because each costs one hash before its answers come from the cache. */
const users = 4;
const fillSeconds = 2;

export interface Scoring {
  readonly rows: readonly Row[];
  /** Redis commands that the score adds to a sign-in. */
  readonly commandsOfScoring: Figure;
}

/** Counts the Redis commands of each window, for one request. The first window warms up. */
function counting(
  plan: RowPlan,
  redisPort: number,
): { readonly plan: RowPlan; readonly sums: () => readonly number[] } {
  const sums: number[] = [];
  const generate: RowPlan["generate"] = async (seconds) => {
    const before = await readCommandStats(redisPort);
    const report = await plan.generate(seconds);
    const counts = commandsPerRequest(before, await readCommandStats(redisPort), report.requests);
    sums.push(Object.values(counts).reduce((sum, one) => sum + one, 0));
    return report;
  };
  return { plan: { ...plan, generate }, sums: () => sums.slice(1) };
}

/** What scoring adds to a cached success, which is the cheapest decision that is scored. */
export async function measureRisk(servers: Servers): Promise<Scoring> {
  const { folder } = servers;
  const file = join(folder, "risk.sqlite");
  await writeSqlBackend(file, users);
  const bodiesFile = await writeBodies(folder, "risk", { password: userPassword, users });
  const runs = [
    { id: "unscored", title: "cached success, stolen passwords off", mode: "off" },
    { id: "scored", title: "cached success, stolen passwords observed", mode: "observe" },
  ] as const;
  await using started = new AsyncDisposableStack();
  const plans: ReturnType<typeof counting>[] = [];
  for (const { id, title, mode } of runs) {
    const options = { servers, backends: sqlBackends(file), protection: guarded("10m"), auth: { risk: { mode } } };
    const postern = started.use(await startPostern(options));
    await runWrk({ url: postern.url, bodiesFile, connections: 1 }, fillSeconds);
    const plan = decisionPlan(postern, { id, title, connections: 64, bodiesFile, first: true, outcome: "ok" });
    plans.push(counting(plan, servers.redisPort));
  }
  const rows = await measureInTurn(plans.map(({ plan }) => plan));
  const [unscored = [], scored = []] = plans.map(({ sums }) => sums());
  return { rows, commandsOfScoring: figureOf(scored.map((sum, round) => sum - (unscored[round] ?? 0))) };
}
