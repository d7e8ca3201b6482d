import { messages } from "../messages.ts";
import { parseBackendEntry, searchesOf, validateBackendEntry } from "./auth-backends.ts";
import { checkEncryption, type Judgement } from "./checks.ts";
import { choice, decimal, duration, flag, integer, liveSection, texts } from "./fields.ts";
import type { Config } from "./root.ts";
import { poolsOf } from "./servers.ts";

/** Backends that are asked beside those that decide (ADR 0263). */
export const Shadow = liveSection(
  "Other backends that get a share of the requests after the answer was sent, to compare what they say. They never change an answer, a counter or a cache.",
  {
    order: texts(
      "Backends in the order in which they are queried: `sql`, `sql(pool)`, `ldap` or `ldap(pool)`, with pools and searches of auth.backends, none of which auth.backends.order may query too. They get connections of their own. An SQLite database cannot be one of them; a hash that an SQL database returns is verified in this process, one at a time. If empty, nothing is compared.",
    ),
    percent: decimal(100, "Share of the requests that are compared, chosen at random.", { maximum: 100, unit: "%" }),
    protocols: texts("Protocols whose requests are compared. If empty, those of all protocols are.", {
      form: "protocol",
    }),
    domains: texts("Domains of the user names whose requests are compared. If empty, those of all domains are."),
    passwords: choice(
      ["none", "accepted", "all"],
      "Passwords that these backends get: none, so that accounts are only looked up; those that auth.backends accepted; or all, wrong ones too, which may lock accounts in the new directory. After a password that they refused, an engine only looks the account up for an hour.",
    ),
    second_factors: flag(
      "Whether the kinds of second factors are compared too. The deciding backend is queried for them at most once an hour for each account and engine.",
    ),
    ignore_attributes: texts("Names of attributes that are not compared, in any letter case."),
    timeout: duration("5s", "Time after which a request is no longer compared, its wait included.", {
      minimum: 100,
      maximum: 60_000,
    }),
    concurrency: integer(8, "Number of requests of an engine that are compared at the same time.", {
      minimum: 1,
      maximum: 256,
    }),
    queue_length: integer(
      256,
      "Number of requests that wait, each with its password if the backends get it. Further ones are not compared, and counted.",
      { maximum: 10_000 },
    ),
  },
);

const path = "auth.shadow.order";

/** The databases and directories that an entry queries, such as `ldap(default)`; none for an entry that has none or is not valid. */
function databasesOf(auth: Config["auth"], text: string): readonly string[] {
  const entry = parseBackendEntry(text);
  if (entry?.kind === "sql") return [`sql(${entry.pool ?? "default"})`];
  // Without a pool, `ldap` queries the pools of all searches.
  if (entry?.kind === "ldap") return searchesOf(auth, entry).map(({ pool_name: pool }) => `ldap(${pool})`);
  return [];
}

/** An SQLite query runs on the thread that decides, however large the share of the shadow is. */
function isSqlite({ backends }: Config["auth"], text: string): boolean {
  const entry = parseBackendEntry(text);
  if (entry?.kind !== "sql") return false;
  const wanted = entry.pool ?? "default";
  return poolsOf("sql", backends.sql).find(({ name }) => name === wanted)?.pool.driver === "sqlite";
}

export function validateShadow(config: Config, judgement: Judgement): void {
  const { auth, storage } = config;
  const { order, domains } = auth.shadow;
  if (order.length === 0) return;
  const live = new Set(auth.backends.order.flatMap((entry) => databasesOf(auth, entry)));
  const before = new Set<string>();
  order.forEach((entry, index) => {
    const at = `${path}[${index}]`;
    const kind = parseBackendEntry(entry)?.kind ?? entry.trim();
    const pools = databasesOf(auth, entry);
    // Two entries would send the same password twice.
    const queried = pools.find((pool) => live.has(pool));
    // Scripts may have effects and share their threads with those that decide; other servers count what they are asked.
    if (kind === "lua" || kind === "cache" || kind === "http")
      judgement.problem(at, messages.shadowUnknown(entry.trim()), messages.shadowHint);
    else if (pools.some((pool) => before.has(pool))) judgement.problem(at, messages.backendTwice(entry));
    else if (queried !== undefined) judgement.problem(at, messages.shadowIsQueried(queried));
    else if (isSqlite(auth, entry)) judgement.problem(at, messages.shadowSqlite);
    else validateBackendEntry(config, judgement, { entry, at });
    for (const pool of pools) before.add(pool);
  });
  domains.forEach((domain, index) => {
    if (domain === "" || domain.includes("@"))
      judgement.problem(`auth.shadow.domains[${index}]`, messages.shadowDomain);
  });
  checkEncryption(storage.redis, `${path} is not empty`, judgement);
}
