import { join } from "node:path";
import type { Measured } from "../measure/processes.ts";
import { measureInTurn, type Row, type RowId, type RowPlan } from "../measure/row.ts";
import { writeBodies } from "../stack/bodies.ts";
import { basicCallers, bearerCallers, type CallerConfig, openCallers, sqlBackends } from "../stack/config.ts";
import { type Postern, startPostern } from "../stack/postern.ts";
import type { Servers } from "../stack/servers.ts";
import { issueTokens } from "../stack/token.ts";
import { sqlUserCount, userPassword } from "../stack/users.ts";
import { decisionPlan } from "./decision-row.ts";
import { lookupQuery } from "./sql.ts";

interface Caller {
  readonly id: RowId;
  readonly title: string;
  readonly callers: CallerConfig;
  /** Default: Basic. */
  readonly authorization: string | undefined;
}

/** Caches forget a token before it is sent again. */
const forgetful = { cache_ttl: "1ms", revocation_ttl: "100ms" };

const warmSeconds = 3;

/** Caller authentication costs CPU in the gateway, and in Redis if a token may have been revoked. */
function whoChecks({ gateway }: Postern, { processes }: Servers): readonly Measured[] {
  return [{ role: "gateway", pid: gateway.pid }, ...processes.filter(({ role }) => role === "redis")];
}

/**
 * Lookups by callers with each kind of authentication, and without. One engine answers all of them, and is not counted. Reads the SQLite
 * file that `measureSql` wrote.
 */
export async function measureCallers(servers: Servers): Promise<readonly Row[]> {
  const { issuer, jwksFile, token, authorizationsFile } = await issueTokens(servers.folder);
  const authorization = `Bearer ${token}`;
  const bodiesFile = await writeBodies(servers.folder, "callers", { password: userPassword, users: sqlUserCount });
  const of: readonly Caller[] = [
    { id: "lookup-open", title: "lookup, SQLite, no caller check", callers: openCallers, authorization: "none" },
    { id: "lookup-basic", title: "lookup, SQLite, Basic", callers: basicCallers, authorization: undefined },
    {
      id: "lookup-bearer",
      title: "lookup, SQLite, Bearer, verdict cached",
      callers: bearerCallers(issuer, jwksFile, { cache_ttl: "1m" }),
      authorization,
    },
    {
      id: "lookup-bearer-key",
      title: "lookup, SQLite, Bearer, verified each time",
      callers: bearerCallers(issuer, jwksFile, { cache_ttl: "0s" }),
      authorization,
    },
    {
      id: "lookup-bearer-new",
      title: "lookup, SQLite, Bearer, another token each time",
      callers: bearerCallers(issuer, jwksFile, forgetful),
      authorization: `@${authorizationsFile}`,
    },
  ];
  const backends = sqlBackends(join(servers.folder, "directory.sqlite"));
  await using started = new AsyncDisposableStack();
  const plans: RowPlan[] = [];
  let first: Postern | undefined;
  for (const { callers, ...caller } of of) {
    const enginesOf = first === undefined ? {} : { enginesOf: first };
    const postern = started.use(await startPostern({ servers, backends, callers, ...enginesOf }));
    first ??= postern;
    const row = { ...caller, connections: 64, bodiesFile, query: lookupQuery, outcome: "ok" } as const;
    plans.push({ ...decisionPlan(postern, row), processes: whoChecks(postern, servers), warmSeconds });
  }
  const rows = await measureInTurn(plans);
  return rows;
}
