import { type Figure, figureOf } from "../measure/added.ts";
import { type CommandCounts, commandsPerRequest, readCommandStats } from "../measure/redis-commands.ts";
import { measureRow, type Row, type RowPlan, rounds } from "../measure/row.ts";
import { writeBodies } from "../stack/bodies.ts";
import { guarded, ldapBackends } from "../stack/config.ts";
import { startPostern } from "../stack/postern.ts";
import { serialMark } from "../stack/serial-mark.ts";
import type { Servers } from "../stack/servers.ts";
import { ldapUserCount } from "../stack/users.ts";
import { decisionPlan } from "./decision-row.ts";

export interface CountedLdap {
  readonly row: Row;
  /** Redis commands for one failure, by command, over all windows. */
  readonly redisCommands: CommandCounts;
  readonly commandsOfWindows: Figure;
}

/** Wrong passwords of known users, each different, so that all of them are counted. */
export async function measureCountedLdap(servers: Servers): Promise<CountedLdap> {
  const backends = ldapBackends(servers.slapd.uri);
  // The delay of accounts under attack would limit the rate.
  await using postern = await startPostern({
    servers,
    backends,
    protection: guarded("10m", { account_delay: { max_delay: "1ms" } }),
  });
  const bodiesFile = await writeBodies(servers.folder, "ldap-counted", {
    password: serialMark,
    clientIp: (index) => `198.18.${index >> 8}.${index & 255}`,
    users: ldapUserCount,
  });
  const plan = decisionPlan(postern, {
    id: "ldap-counted",
    title: "failed and counted, LDAP",
    connections: 64,
    bodiesFile,
    outcome: "fail",
    first: true,
  });
  let redisCommands: CommandCounts = {};
  const sums: number[] = [];
  const counting: RowPlan = {
    ...plan,
    generate: async (seconds) => {
      const before = await readCommandStats(servers.redisPort);
      const report = await plan.generate(seconds);
      redisCommands = commandsPerRequest(before, await readCommandStats(servers.redisPort), report.requests);
      sums.push(Object.values(redisCommands).reduce((sum, one) => sum + one, 0));
      return report;
    },
  };
  const row = await measureRow(counting, rounds);
  // The first one warms up.
  return { row, redisCommands, commandsOfWindows: figureOf(sums.slice(1)) };
}
