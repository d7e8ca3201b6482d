import { join } from "node:path";
import {
  AccountReport,
  Attacks,
  AuditRecordPage,
  BanRecordPage,
  ConfigLoad,
  DecisionHistoryPage,
  Explanation,
  NetworkReport,
  SignInOrigins,
  SignInSeries,
  SystemReport,
} from "@postern/shared/contracts";
import { compileCheck } from "@postern/shared/platform/http";
import { spawnRedis } from "@postern/testing";
import type { Static, TSchema } from "typebox";
import { accountPage } from "../../services/admin/src/console/account/account-page.ts";
import { auditPage } from "../../services/admin/src/console/audit/audit-page.ts";
import { bansPage } from "../../services/admin/src/console/bans/bans-page.ts";
import { configurationPage } from "../../services/admin/src/console/configuration/configuration-page.ts";
import { type ConsolePage, createShowPage } from "../../services/admin/src/console/console-document.ts";
import { networkPage } from "../../services/admin/src/console/network/network-page.ts";
import { originsPage } from "../../services/admin/src/console/origins/origins-page.ts";
import { overviewPage } from "../../services/admin/src/console/overview/overview-page.ts";
import { searchPage } from "../../services/admin/src/console/search/search-page.ts";
import { systemPage } from "../../services/admin/src/console/system/system-page.ts";
import type { Operator } from "../../services/admin/src/operators/operator.ts";
import { processMicros } from "../measure/processes.ts";
import { writeAuditRecords } from "../stack/audit-records.ts";
import { writeSqlBackend } from "../stack/backends.ts";
import { bannedAddress, writeBans } from "../stack/bans.ts";
import { sqlBackends } from "../stack/config.ts";
import { customerAddress, writeHistories } from "../stack/histories.ts";
import { type Management, startManagement } from "../stack/management.ts";
import { writeOrigins } from "../stack/origins.ts";
import { writeRollups } from "../stack/rollups.ts";
import type { Servers } from "../stack/servers.ts";
import { mailOf } from "../stack/users.ts";

/** CPU time of a page of the console: of its operations in admin, and of rendering it. */
export interface PageCost {
  readonly title: string;
  readonly samples: number;
  readonly cpuMs: number;
}

interface ConsoleSizes {
  readonly bans: number;
  readonly accounts: number;
  /** The number of audit records of each kind. */
  readonly auditRecords: number;
}

const samples = 100;
/** Of a page, without the style, the script and the pictures that all share. */
const maxBytes = 120_000;
const rule = { name: "console", period: "10m", ban_time: "1h", cidr: 32, failed_requests: 1000, ipv4: true };
const protection = { controls: { enabled: ["brute_force"], brute_force: { buckets: [rule] } }, localCacheTtl: "0s" };
/** Keys are built from this form of the rule. */
const parts = {
  rules: [
    {
      name: rule.name,
      periodMs: 600_000,
      banMs: 3_600_000,
      failedRequests: 1000,
      cidr: 32,
      ipv4: true,
      ipv6: false,
      protocols: [],
      oidcClientIds: [],
    },
  ],
  clientCidr6: 64,
  tolerateMs: 0,
  keyPrefix: "postern:",
};

const operator: Operator = {
  account: mailOf(0),
  role: "admin",
  isRoleCurrent: true,
  isProved: true,
  clientIp: "127.0.0.1",
  session: "bench",
  csrfToken: "bench",
  cookie: "bench",
};
const show = createShowPage("https://console.example.test", "Bench", "/style.css");
const about = {
  operator,
  helpdesk: { resetsFactors: true },
  links: {
    search: (name: string) => `/console/search?for=${encodeURIComponent(name)}`,
    account: (name: string) => `/console/account?for=${encodeURIComponent(name)}`,
    network: (name: string) => `/console/network?for=${encodeURIComponent(name)}`,
    kept: (page: string) => page,
  },
  next: "/console/search",
  done: undefined,
};

/** Asks an operation of the console; one that takes a body instead of a query has `isPost`. */
function asker<Schema extends TSchema>({ ask }: Management, operation: string, schema: Schema, isPost = false) {
  const check = compileCheck(schema);
  return async (fields: Readonly<Record<string, string>>): Promise<Static<Schema>> => {
    const path = `/api/v1/console/${operation}`;
    const answer = isPost
      ? await ask({ method: "POST", path, body: fields })
      : await ask({ method: "GET", path: `${path}?${new URLSearchParams(fields).toString()}` });
    if (!check.accepts(answer)) throw new Error(`${operation} gave an unexpected answer`);
    return answer;
  };
}

const scatteredIndex = (iteration: number, size: number): number => (iteration * 7919) % size;

const auditFields = { actor: "", domain: "", event: "", outcome: "", since: "", until: "" };

/** Pages of one account, of the audit stream and of the configuration. */
function detailPagesOf(management: Management, { accounts }: ConsoleSizes): readonly (readonly [string, MakePage])[] {
  const explain = asker(management, "explain", Explanation);
  const history = asker(management, "history", DecisionHistoryPage);
  const account = asker(management, "account", AccountReport, true);
  const state = asker(management, "network", NetworkReport);
  const audit = asker(management, "audit", AuditRecordPage);
  const system = asker(management, "system", SystemReport);
  const configuration = compileCheck(ConfigLoad);
  return [
    [
      "account",
      async (iteration) => {
        const query = mailOf(scatteredIndex(iteration, accounts));
        const report = await account({ account: query });
        if (report.account !== query) throw new Error(`the account ${query} was not found`);
        const [explanation, found] = [await explain({ query }), await history({ account: query, limit: "500" })];
        const answer = { report, explanation, history: found, sessions: undefined, risk: undefined };
        return accountPage({ ...about, reach: "allowed", query, answer, nowMs: Date.now() });
      },
    ],
    [
      "network",
      async (iteration) => {
        const network = customerAddress(scatteredIndex(iteration, accounts));
        const [report, explanation] = [await state({ network }), await explain({ query: network })];
        const found = await history({ network, limit: "500" });
        const filter = { handle: "handle", domain: "", isValid: true };
        return networkPage({ ...about, report, explanation, history: found, filter, nowMs: Date.now() });
      },
    ],
    [
      "audit, with a filter that nothing matches",
      async () => {
        const target = "no such account";
        const answer = await audit({ target });
        return auditPage({ fields: { ...auditFields, target }, answer, isFirst: true, operator });
      },
    ],
    [
      "configuration",
      async () => {
        const answer = await management.ask({ method: "GET", path: "/api/v1/config/load" });
        if (!configuration.accepts(answer)) throw new Error("the configuration could not be read");
        return configurationPage({ values: JSON.parse(answer.result), system: await system({}) });
      },
    ],
  ];
}

type MakePage = (iteration: number) => Promise<ConsolePage>;

/** The pages as the console makes them, without its sign-in. */
function pagesOf(management: Management, sizes: ConsoleSizes): readonly (readonly [string, MakePage])[] {
  const { bans, accounts } = sizes;
  const explain = asker(management, "explain", Explanation);
  const history = asker(management, "history", DecisionHistoryPage);
  const attacks = asker(management, "attacks", Attacks);
  const listBans = asker(management, "bans", BanRecordPage);
  const system = asker(management, "system", SystemReport);
  const series = asker(management, "series", SignInSeries);
  const origins = asker(management, "origins", SignInOrigins);
  const search = async (query: string, subject: Readonly<Record<string, string>>): Promise<ConsolePage> => {
    const [explanation, { records }] = [await explain({ query }), await history({ ...subject, limit: "100" })];
    const shown = explanation.bans.map((ban) => ({ ...ban, others: explanation.other_accounts }));
    return searchPage({ ...about, reach: "allowed", query, answer: { explanation, records, bans: shown } });
  };
  return [
    [
      "search for an account",
      (iteration) => {
        const account = mailOf(scatteredIndex(iteration, accounts));
        return search(account, { account });
      },
    ],
    [
      "search for an address",
      (iteration) => {
        const network = customerAddress(scatteredIndex(iteration, accounts));
        return search(network, { network });
      },
    ],
    [
      "search for a banned address",
      (iteration) => {
        const network = bannedAddress(scatteredIndex(iteration, bans));
        return search(network, { network });
      },
    ],
    [
      "overview of a week",
      async () => {
        const range = "7d";
        const [now, report] = [await attacks({ minutes: "1" }), await system({})];
        return overviewPage({
          ...about,
          range,
          series: await series({ range, steps: "90" }),
          attacks: now,
          system: report,
        });
      },
    ],
    [
      "where from, of a week",
      async () => originsPage({ range: "7d", outcome: "refused", origins: await origins({ range: "7d" }) }),
    ],
    [
      "bans and attacks",
      async () => {
        const [first, now] = [await listBans({}), await attacks({ minutes: "1" })];
        if (first.total < bans) throw new Error(`only ${first.total} bans are listed`);
        return bansPage({ ...about, series: await series({}), attacks: now, bans: first, order: "desc", rule: "" });
      },
    ],
    ["system", async () => systemPage(await system({}))],
    ...detailPagesOf(management, sizes),
  ];
}

/** @throws Error if a page is heavier than pages may be. */
function showLight(title: string, page: ConsolePage): void {
  const bytes = Buffer.byteLength(show(page, operator).body);
  if (bytes > maxBytes) throw new Error(`the page ${title} has ${bytes} bytes`);
}

async function costOf(title: string, make: MakePage, adminPid: number): Promise<PageCost> {
  for (let iteration = 0; iteration < samples / 10; iteration += 1) showLight(title, await make(iteration));
  const before = processMicros(adminPid);
  let renderedMs = 0;
  for (let iteration = 0; iteration < samples; iteration += 1) {
    const page = await make(iteration);
    const started = performance.now();
    show(page, operator);
    renderedMs += performance.now() - started;
  }
  const adminMs = (processMicros(adminPid) - before) / 1000;
  return { title, samples, cpuMs: (adminMs + renderedMs) / samples };
}

const whole: ConsoleSizes = { bans: 1_000_000, accounts: 100_000, auditRecords: 50_000 };

/** Pages of the console with many bans and histories, in a separate Redis that is stopped afterwards. */
export async function measureConsole(servers: Servers, sizes = whole): Promise<readonly PageCost[]> {
  await using redis = await spawnRedis();
  const file = join(servers.folder, "console.sqlite");
  await writeSqlBackend(file, sizes.accounts);
  await writeBans(redis.port, sizes.bans, parts);
  await writeHistories(redis.port, sizes.accounts);
  await writeRollups(redis.port);
  await writeOrigins(redis.port);
  await writeAuditRecords(redis.port, sizes.auditRecords);
  const more = { backends: sqlBackends(file), observability: { audit_history: { enabled: true } } };
  await using management = await startManagement({ ...servers, redisPort: redis.port }, protection, more);
  const costs: PageCost[] = [];
  for (const [title, make] of pagesOf(management, sizes)) costs.push(await costOf(title, make, management.adminPid));
  return costs;
}
