import { join } from "node:path";
import { measureInTurn, type Row, type RowId, type RowPlan } from "../measure/row.ts";
import { writeBodies } from "../stack/bodies.ts";
import { basicCallers, bearerCallers, type CallerConfig, openCallers, sqlBackends } from "../stack/config.ts";
import { startPostern } from "../stack/postern.ts";
import type { Servers } from "../stack/servers.ts";
import { issueTokens } from "../stack/token.ts";
import { sqlUserCount, userPassword } from "../stack/users.ts";
import { decisionPlan } from "./decision-row.ts";
import { lookupQuery } from "./sql.ts";

interface Caller {
  readonly id: RowId;
  readonly title: string;
  readonly callers: CallerConfig;
  /** Absent: Basic. */
  readonly authorization: string | undefined;
}

/** Nothing of a token is remembered for longer than it takes until it comes again. */
const forgetful = { cache_ttl: "1ms", revocation_ttl: "100ms" };

/** The look-up by callers who prove themselves otherwise than by Basic. Reads the SQLite file that `measureSql` wrote. */
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
  for (const { callers, ...caller } of of) {
    const postern = started.use(await startPostern({ servers, backends, callers }));
    const row = { ...caller, connections: 64, bodiesFile, query: lookupQuery, first: true, outcome: "ok" } as const;
    plans.push(await decisionPlan(postern, row));
  }
  const rows = await measureInTurn(plans);
  return rows;
}
