import { connectToDovecot } from "../generator/dovecot-client.ts";
import { askSaslauthd } from "../generator/saslauthd-client.ts";
import { descendants } from "../measure/children.ts";
import type { Measured } from "../measure/processes.ts";
import { firstWarmSeconds, measureInTurn, type Row, type RowId, type RowPlan } from "../measure/row.ts";
import { repeat } from "../programs/repeat.ts";
import { writeBodies } from "../stack/bodies.ts";
import { guarded, ldapBackends } from "../stack/config.ts";
import { startDovecotAuth } from "../stack/dovecot-auth.ts";
import { startPostern } from "../stack/postern.ts";
import { saslauthdProcesses, startSaslauthd } from "../stack/saslauthd.ts";
import type { Servers } from "../stack/servers.ts";
import { ldapUserCount, mailOf, userPassword } from "../stack/users.ts";
import { decisionPlan } from "./decision-row.ts";

const depth = 64;
const windowSeconds = 2;

type Ask = (username: string, password: string) => Promise<boolean>;

interface Other {
  readonly id: RowId;
  readonly title: string;
  readonly pid: number;
  readonly depth: number;
  readonly ask: Ask;
}

/** Each user with the correct password in turn. */
async function askEach({ ask, depth }: Pick<Other, "ask" | "depth">, seconds: number) {
  const sign = async (index: number): Promise<void> => {
    if (!(await ask(mailOf(index % ldapUserCount), userPassword))) throw new Error("a correct password was refused");
  };
  return await repeat(sign, { atOnce: depth, seconds });
}

async function planOf(other: Other, servers: Servers): Promise<RowPlan> {
  const { id, title, pid, depth } = other;
  // Fills the caches, and starts the processes that are started on demand.
  await askEach(other, firstWarmSeconds);
  const own = [pid, ...descendants(pid)].map((one): Measured => ({ role: "engine", pid: one }));
  return {
    id,
    title,
    connections: depth,
    processes: [...own, ...servers.processes],
    windowSeconds,
    generate: (seconds) => askEach(other, seconds),
    verify: () => undefined,
  };
}

/**
 * What sites run without Postern, at the same work: the same slapd, the same users, the correct password, search and bind; and the same from
 * each product's cache. The others receive requests on their local sockets, and neither count guesses nor write a line for each decision.
 */
export async function measureSideBySide(servers: Servers): Promise<readonly Row[]> {
  await using started = new AsyncDisposableStack();
  const { folder, slapd } = servers;
  const bodiesFile = await writeBodies(folder, "side-by-side", { password: userPassword, users: ldapUserCount });
  const plans: RowPlan[] = [];
  for (const isCached of [false, true]) {
    const kind = isCached ? "cached" : "LDAP";
    const suffix = isCached ? "cached" : "ldap";
    const protection = guarded(isCached ? "10m" : "0s");
    const postern = started.use(await startPostern({ servers, backends: ldapBackends(slapd.uri), protection }));
    const common = { connections: depth, bodiesFile, outcome: "ok", windowSeconds, first: true } as const;
    plans.push(decisionPlan(postern, { ...common, id: `beside-${suffix}`, title: `Postern, ${kind}` }));
    const { dovecot, socketPath } = started.use(await startDovecotAuth(slapd.uri, { isCached }));
    const client = started.use(await connectToDovecot(socketPath));
    plans.push(
      await planOf(
        {
          id: `dovecot-${suffix}`,
          title: `Dovecot, ${kind}`,
          pid: dovecot.pid,
          depth,
          ask: (username, password) => client.ask(username, password),
        },
        servers,
      ),
    );
    const saslauthd = started.use(await startSaslauthd(slapd.uri, { isCached }));
    plans.push(
      await planOf(
        {
          id: `saslauthd-${suffix}`,
          title: `saslauthd, ${kind}`,
          pid: saslauthd.server.pid,
          depth: saslauthdProcesses,
          ask: (username, password) => askSaslauthd(saslauthd.socketPath, username, password),
        },
        servers,
      ),
    );
  }
  return await measureInTurn(plans);
}
