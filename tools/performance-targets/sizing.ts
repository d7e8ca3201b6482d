import type { Recorded, RecordedRow } from "../../bench/report/record.ts";
import type { FeatureCost } from "../../bench/scenarios/features.ts";

type Process = "gateway" | "engine" | "nats" | "redis" | "slapd";

/** Rows of the benchmark, as the page names them. */
const rows = [
  ["cached-1", "cached success", "one at a time"],
  ["cached-1000", "cached success", "1,000/s"],
  ["cached", "cached success", "the maximum of two cores"],
  ["ldap-400", "LDAP success", "400/s"],
  ["ldap", "LDAP success", "the maximum of two cores"],
  ["ldap-counted", "wrong password, LDAP, counted", "the maximum of two cores"],
] as const;

type Id = (typeof rows)[number][0];

/** Half a core in µs per second: what is planned for each process, so that half stays idle. */
const halfCore = 500_000;

const places: readonly Process[] = ["gateway", "engine", "nats", "redis", "slapd"];

const cores = (micros: number): string => (micros / 1_000_000).toFixed(2);

function featureRow({ feature, kind, cpuMicros, redisCommands, redisBytes }: FeatureCost): string {
  const { median, lowest, highest } = cpuMicros;
  const cpu = `${median.toFixed(1)} (${lowest.toFixed(1)} to ${highest.toFixed(1)})`;
  return `| ${[feature, kind, cpu, redisCommands.median.toFixed(2), Math.round(redisBytes.median)].join(" | ")} |`;
}

/** A site's sign-ins: the cache answers nine of ten. */
const cachedShare = 0.9;

const rounded = (rate: number): string => (Math.floor(rate / 100) * 100).toLocaleString("en");

/** Up to which rate one process is enough. Nothing before its rows are recorded. */
function oneProcess(recorded: Recorded["rows"]): string {
  const row = (id: string): RecordedRow | undefined => recorded.find((one) => one.id === id);
  const [cached, ldap, busy] = [row("one-cached-1000"), row("one-ldap-400"), row("one-busy")];
  if (cached === undefined || ldap === undefined) return "";
  const [cachedMicros, ldapMicros] = [cached.cpuMicros.gateway, ldap.cpuMicros.gateway];
  const perSecond = halfCore / (cachedShare * cachedMicros + (1 - cachedShare) * ldapMicros);
  const beside =
    busy === undefined
      ? ""
      : ` While it also hashes 20 passwords and signs 5 SAML responses a second, and
lists 100,000 accounts again and again, cached decisions take ${busy.p50Ms.toFixed(1)} ms (p50) and ${busy.p99Ms.toFixed(1)} ms (p99).`;
  return `One process takes ${Math.round(cachedMicros)} µs for a cached success at 1,000/s, and ${Math.round(ldapMicros)} µs for an LDAP success at 400/s. If the cache answers nine of ten,
half a core is enough for ${rounded(perSecond)} sign-ins per second in **one process**; run the services apart above that rate.${beside}

`;
}

/** Table and examples of docs/operate/capacity.md, computed from the last recorded run of the benchmark. */
function sizing({ rows: recorded, features }: Pick<Recorded, "rows" | "features">): string {
  const rowOf = (id: Id): RecordedRow => {
    const found = recorded.find((row) => row.id === id);
    if (found === undefined) throw new Error(`the record has no row ${id}`);
    return found;
  };
  const micros = (id: Id, ...processes: readonly Process[]): number =>
    processes.reduce((sum, process) => sum + rowOf(id).cpuMicros[process], 0);
  const ours = (id: Id): number => micros(id, "gateway", "engine", "nats", "redis");
  /** CPU µs a second for rates of cached successes and LDAP successes. */
  const load = (process: Process): number => 30_000 * micros("cached", process) + 3330 * micros("ldap", process);
  const attack = (process: Process): number => 5000 * micros("ldap-counted", process);
  const processes = (process: Process): string => `${Math.ceil(load(process) / halfCore)}, and one in reserve`;
  const table = rows.map(([id, request, rate]) => {
    const maximum = rate.startsWith("the maximum")
      ? ` (${Math.round(rowOf(id).requestsPerSecond).toLocaleString("en")}/s)`
      : "";
    const costs = places.map((process) => Math.round(micros(id, process)) || "");
    return `| ${[request, `${rate}${maximum}`, ...costs].join(" | ")} |`;
  });
  return `${oneProcess(recorded)}| Request | Rate | gateway | engine | NATS | Redis | slapd |
|---|---|---|---|---|---|---|
${table.join("\n")}

### Features

What a decision costs more with each feature that is on by default; a negative figure is a saving. CPU µs of all servers, commands and bytes of Redis.

| Feature | Request | CPU µs | Redis commands | Redis bytes |
|---|---|---|---|---|
${features.map(featureRow).join("\n")}

### Example: 100,000 mailboxes

Every mailbox signs in once in five minutes at the busiest time, through mail clients that poll: 333 sign-ins/s. The cache answers nine of
ten; 33/s query LDAP. Postern needs ${cores(300 * ours("cached-1000") + 33 * ours("ldap-400"))} cores, and slapd ${cores(33 * micros("ldap-400", "slapd"))}. Two machines of two cores with all services on
each are enough, even when one fails. During an attack of 500 guesses per second, add ${cores(500 * ours("ldap-counted"))} cores, and ${cores(500 * micros("ldap-counted", "slapd"))} for the LDAP
server.

### Example: 10 million mailboxes

The same usage results in 33,300 sign-ins/s, of which 3,330/s query LDAP. At that rate the figures for full load apply:

| Part | Cores | Processes at half a core each |
|---|---|---|
| gateway | ${cores(load("gateway"))} | ${processes("gateway")} |
| auth-engine | ${cores(load("engine"))} | ${processes("engine")} |
| NATS | ${cores(load("nats"))} | 3 nodes |
| Redis | ${cores(load("redis"))} | one primary with replicas and Sentinel |
| LDAP | ${cores(load("slapd"))} | 3 servers |

An attack of 5,000 guesses per second adds ${cores(attack("gateway"))} cores of gateways, ${cores(attack("engine"))} of engines, ${cores(attack("redis"))} of Redis and ${cores(attack("slapd"))} of LDAP servers. If the
cache is lost, all 33,300/s query LDAP for a few minutes, which takes ${cores(33_300 * micros("ldap", "engine"))} cores of engines and ${cores(33_300 * micros("ldap", "slapd"))} of LDAP servers.
\`auth_rate_limit_per_second\` protects the LDAP servers from such a peak; requests above the limit are temporary failures.
`;
}

const [begin, end] = ["<!-- from the recorded run: make docs -->\n", "<!-- end of the recorded run -->"];

/** The page with its block of figures replaced. @throws Error if the page has no such block */
export function withSizing(page: string, recorded: Pick<Recorded, "rows" | "features">): string {
  const [before, rest] = page.split(begin);
  const [, after] = rest?.split(end) ?? [];
  if (before === undefined || after === undefined) throw new Error("the page has no block for the figures");
  return `${before}${begin}\n${sizing(recorded)}\n${end}${after}`;
}
