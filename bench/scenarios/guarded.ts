import { join } from "node:path";
import { runWrk } from "../generator/wrk.ts";
import { watchMemory } from "../measure/memory.ts";
import { measureInTurn } from "../measure/row.ts";
import { saltedSha256, writeSqlBackend } from "../stack/backends.ts";
import { type BodiesOptions, writeBodies } from "../stack/bodies.ts";
import { guarded, mailTokens, sqlBackends } from "../stack/config.ts";
import { startPostern } from "../stack/postern.ts";
import { serialMark } from "../stack/serial-mark.ts";
import type { Servers } from "../stack/servers.ts";
import { issueTokens } from "../stack/token.ts";
import { sqlUserCount, userPassword } from "../stack/users.ts";
import { startSkeleton } from "./baselines.ts";
import { decisionPlan } from "./decision-row.ts";
import type { Measurements } from "./sql.ts";

/** Longer than the row that needs it. */
const cacheTtl = "10m";
/** Fills the cache once with each request of a round. */
const fillSeconds = 2;
/** Long enough that the burst of new connections is not part of the slowest hundredth. */
const windowSeconds = 1;

/** Every guess has a different password, so that each is counted; the guesses come from a thousand networks. */
export const guesses: BodiesOptions = {
  password: serialMark,
  clientIp: (index) => `198.18.${index >> 8}.${index & 255}`,
  users: sqlUserCount,
};

/**
 * Invalid tokens, as from a mail client that sends a password in place of a token: counted like any guess, without querying a backend. The
 * target is derived from such a failure.
 */
export const notTokens: BodiesOptions = {
  ...guesses,
  method: "oauthbearer",
  password: `no token ${serialMark}`,
  clientIp: (index) => `198.19.${index >> 8}.${index & 255}`,
};

/** The cost of a decision with brute-force protection and cache, compared with the lower bound. */
export async function measureGuarded(servers: Servers): Promise<Measurements> {
  const file = join(servers.folder, "guarded.sqlite");
  await writeSqlBackend(file, sqlUserCount, saltedSha256());
  await using skeleton = await startSkeleton(servers);
  const { issuer, jwksFile } = await issueTokens(servers.folder);
  await using postern = await startPostern({
    servers,
    backends: sqlBackends(file),
    protection: guarded(cacheTtl),
    auth: mailTokens(issuer, jwksFile),
  });
  const memory = watchMemory([postern.gateway, ...postern.engines], "guarded");
  const right = await writeBodies(servers.folder, "guarded", { password: userPassword, users: sqlUserCount });
  const wrong = await writeBodies(servers.folder, "guesses", guesses);
  const wrongTokens = await writeBodies(servers.folder, "no-tokens", notTokens);
  await runWrk({ url: postern.url, bodiesFile: right, connections: 64 }, fillSeconds);
  const cached = {
    title: "cached success",
    bodiesFile: right,
    engineCounter: 'service_result_cache_reads_total{level="memory",outcome="hit"}',
    outcome: "ok",
  } as const;
  const failed = {
    engineCounter: 'service_brute_force_failures_total{kind="counted"}',
    outcome: "fail",
  } as const;
  const many = await measureInTurn(
    [
      skeleton.plan("skeleton", 64),
      decisionPlan(postern, { ...cached, id: "cached", connections: 64, windowSeconds, first: true }),
      decisionPlan(postern, {
        ...failed,
        id: "counted",
        title: "failed and counted",
        bodiesFile: wrongTokens,
        connections: 64,
        windowSeconds,
        first: true,
      }),
      decisionPlan(postern, {
        ...failed,
        id: "counted-sql",
        title: "failed and counted, SQL",
        bodiesFile: wrong,
        connections: 64,
        windowSeconds,
      }),
    ],
    memory.look,
  );
  const one = await measureInTurn([
    skeleton.plan("skeleton-1", 1),
    decisionPlan(postern, { ...cached, id: "cached-1", connections: 1 }),
  ]);
  return { rows: [...many, ...one], memories: memory.memories() };
}
