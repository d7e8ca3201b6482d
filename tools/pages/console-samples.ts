import type { AuditRecordListed, DecisionRecord, Explanation, SystemReport } from "@postern/shared/contracts";
import { auditPage } from "../../services/admin/src/console/audit/audit-page.ts";
import { bansPage } from "../../services/admin/src/console/bans/bans-page.ts";
import { configurationPage } from "../../services/admin/src/console/configuration/configuration-page.ts";
import { type ConsoleAsset } from "../../services/admin/src/console/console-assets.ts";
import { type ConsolePage, createShowPage, type ShownPage } from "../../services/admin/src/console/console-document.ts";
import { noticePage } from "../../services/admin/src/console/notice-pages.ts";
import { originsPage } from "../../services/admin/src/console/origins/origins-page.ts";
import { sampleOrigins } from "../../services/admin/src/console/origins/testing/sample-origins.ts";
import { overviewPage } from "../../services/admin/src/console/overview/overview-page.ts";
import { sampleSeries } from "../../services/admin/src/console/overview/testing/sample-series.ts";
import { preferencesPage } from "../../services/admin/src/console/preferences/preferences-page.ts";
import { causesOf } from "../../services/admin/src/console/search/causes.ts";
import { searchPage } from "../../services/admin/src/console/search/search-page.ts";
import { verdictOf } from "../../services/admin/src/console/search/verdict.ts";
import { systemPage } from "../../services/admin/src/console/system/system-page.ts";
import type { Operator } from "../../services/admin/src/operators/operator.ts";
import { findingsOf, stateOf } from "../../services/admin/src/system/findings.ts";
import { type ConsoleLanguage, englishLanguage } from "../../services/admin/src/texts/console-languages.ts";
import { accountSample } from "./console-account-sample.ts";
import { apiOperationSample, apiSample } from "./console-api-sample.ts";
import { clientsSample } from "./console-clients-sample.ts";
import { domainSample, domainsSample } from "./console-domains-sample.ts";
import { networkSample } from "./console-network-sample.ts";
import { rehearsalSample } from "./console-rehearsal-sample.ts";

const operator: Operator = {
  account: "helen@example.test",
  role: "security",
  isRoleCurrent: true,
  isProved: false,
  clientIp: "192.0.2.10",
  session: "0b1f9e52-3c1d-4a34-9a4e-0d9f6f2f6c11",
  csrfToken: "sample",
  cookie: "sample",
  searches: ["alice@example.test", "203.0.113.0/24"],
};

const links = {
  search: () => "/console/search?for=sample",
  account: () => "/console/account?for=handle",
  network: () => "/console/network?for=handle",
  kept: (page: string) => page,
};

const record = (fields: Partial<DecisionRecord>): DecisionRecord => ({
  time: "2030-05-06T13:55:02.000Z",
  first_time: "2030-05-06T13:55:02.000Z",
  count: 1,
  outcome: "denied",
  reason: "wrong_password",
  text: "the password was wrong",
  channel: "mail",
  protocol: "imap",
  client_ip: "203.0.113.44",
  account: "alice@example.test",
  instance: "postern@mail1:4711",
  session: "7d3f91ac-20b4-4444-8888-000000000000",
  ...fields,
});

const ban = {
  network: "203.0.113.0/24",
  rule: "imap",
  start: "2030-05-06T13:55:02.000Z",
  end: "2030-05-06T14:05:02.000Z",
  failures: 10,
};

const records = [
  record({ outcome: "blocked", text: "the network was banned by the rule imap", rule: "imap", count: 41 }),
  record({ count: 10, first_time: "2030-05-06T13:53:40.000Z", username: "alice" }),
  record({ time: "2030-05-06T13:52:10.000Z", outcome: "ok", text: "the sign-in succeeded", client_ip: "203.0.113.9" }),
  record({
    time: "2030-05-06T11:20:00.000Z",
    outcome: "ok",
    text: "the sign-in succeeded",
    channel: "browser",
    protocol: "oidc",
    client: "webmail",
    step: "password",
    client_ip: "203.0.113.9",
  }),
];

const nowMs = Date.parse("2030-05-06T13:58:00.000Z");
const subject = {
  query: "alice@example.test",
  kind: "account",
  account: "alice@example.test",
  bans: [ban],
  guessing_addresses: ["203.0.113.44"],
};
const known = { standing: { kind: "found" }, ownBans: [ban], nowMs } as const;
const causes = [
  ...causesOf({
    ...subject,
    ...known,
    otherBans: [],
    factorLimits: [{ factor: "totp", count: 100, endMs: undefined }],
  }),
];
const explanation: Explanation = {
  ...subject,
  ...verdictOf({ ...subject, ...known, lastBans: [], causes, lastFailure: records[0], lastSuccess: records[2] }),
  causes,
  last_failures: [],
  other_accounts: [],
  incomplete: [],
};

const found = searchPage({
  reach: "allowed",
  query: explanation.query,
  answer: { explanation, records, bans: [{ ...ban, others: ["alice@example.test", "bob@example.test"] }] },
  done: undefined,
  operator,
  helpdesk: { resetsFactors: false },
  links,
  next: "/console/search",
});

const attacked = bansPage({
  series: sampleSeries("1h"),
  attacks: {
    minutes: [],
    networks: [
      { network: "198.51.100.0/24", failures: 512 },
      { network: "203.0.113.0/24", failures: 31, refused: 212 },
      { network: "192.0.2.0/24", failures: 1, repeated: 40 },
    ],
    accounts: [
      { account: "alice@example.test", addresses: 214, wrong_passwords: 190, delayed_until: ban.end },
      { account: "bob@example.test", addresses: 9, wrong_passwords: 8 },
      { account: "carol@example.test", addresses: 1, wrong_passwords: 1 },
    ],
  },
  bans: { bans: [{ ...ban, network: "198.51.100.0/24" }, ban], total: 1284, next: "sample" },
  order: "desc",
  rule: "",
  done: "unban",
  operator,
  helpdesk: { resetsFactors: false },
  links,
  next: "/console/bans",
});

const facts: Omit<SystemReport, "state" | "verdict" | "sentence" | "findings"> = {
  time: ban.start,
  services: [
    {
      service: "auth-engine",
      state: "up",
      instances: ["mail1:4711", "mail2:4712"].map((instance) => ({
        instance,
        version: "1.0.0",
        status: "up",
        started: ban.start,
        heard: ban.start,
        failed_checks: [],
        configuration: { digest: "5f2a", loaded: ban.start, changed: [], needs_restart: [] },
      })),
    },
    { service: "idp", state: "unknown", instances: [] },
  ],
  engines: { state: "up", heard: 2 },
  backends: [{ name: "ldap", state: "down", down_at: ["mail2:4712"] }],
  redis: [{ role: "state", state: "up", latency_ms: 0.4, used_bytes: 52_428_800, max_bytes: 1_073_741_824 }],
  nats: { state: "up", latency_ms: 0.3 },
  queues: [{ name: "flush", state: "up", waiting: 3, active: 1, delayed: 0, failed: 0 }],
  jobs: [],
  configuration: {
    digest: "5f2a",
    loaded: ban.start,
    changed: ["auth.policy"],
    needs_restart: ["runtime.servers.http.address"],
    is_uniform: true,
  },
  expiries: [{ name: "runtime.servers.http.tls.cert", end: ban.end, days: 12 }],
  signing_keys: [{ name: "OIDC 8dX2kQ", created: "2030-04-20T08:00:00.000Z", age_days: 16, signs: ["RS256", "PS256"] }],
  scripts: [],
};
const findings = [...findingsOf(facts)];
const system: SystemReport = { ...facts, ...stateOf(facts, findings), findings };

const overview = overviewPage({
  range: "24h",
  series: sampleSeries("24h"),
  system,
  attacks: {
    minutes: [],
    networks: [
      { network: "198.51.100.0/24", failures: 512 },
      { network: "203.0.113.0/24", failures: 31, refused: 212 },
    ],
    accounts: [
      { account: "alice@example.test", addresses: 214, wrong_passwords: 190, delayed_until: ban.end },
      { account: "bob@example.test", addresses: 9, wrong_passwords: 8 },
    ],
  },
  operator,
  links,
});

const configured = configurationPage({
  values: {
    runtime: { instance_name: "mail", servers: { http: { address: ["127.0.0.1:9080"] } } },
    observability: { log: { level: "info" } },
    storage: { redis: { primary: { address: "127.0.0.1:6379" }, encryption_secret: "********" } },
    auth: { policy: { policies: [] } },
  },
  system,
});

const auditFields = { actor: "", target: "", domain: "", event: "", outcome: "", since: "", until: "" };

const auditRecord = (fields: Partial<AuditRecordListed>): AuditRecordListed => ({
  time: "2030-05-06T13:58:31.000Z",
  service: "admin",
  instance: "postern@mail1:4713",
  event: "console.action",
  outcome: "ok",
  client_ip: "192.0.2.10",
  session: operator.session,
  ...fields,
});

const { account: actor } = operator;

const audited = auditPage({
  fields: auditFields,
  answer: {
    records: [
      auditRecord({
        actor,
        target: "203.0.113.0/24",
        reason: "unban",
        note: "ticket 4711: office network, misconfigured phone",
      }),
      auditRecord({ actor, event: "brute_force.flush", target: "203.0.113.0/24", method: "bearer" }),
      auditRecord({ actor, event: "account.read", target: "alice@example.test", method: "bearer" }),
      auditRecord({
        service: "idp",
        instance: "postern@mail2:4716",
        event: "user.login",
        outcome: "denied",
        account: "alice@example.test",
        method: "password",
        reason: "wrong_password",
        client_ip: "203.0.113.44",
      }),
      auditRecord({ actor, event: "console.sign_in" }),
    ],
    next: "sample",
  },
  isFirst: true,
  operator: { ...operator, isProved: true },
});

const samples: Readonly<Record<string, readonly [page: ConsolePage, operator?: Operator]>> = {
  "console-overview": [overview, operator],
  "console-origins": [originsPage({ range: "24h", outcome: "refused", origins: sampleOrigins }), operator],
  "console-search": [found, operator],
  "console-account": [accountSample({ explanation, operator, links }), operator],
  "console-network": [networkSample({ explanation, operator, links }), operator],
  "console-bans": [attacked, operator],
  "console-domains": [domainsSample, operator],
  "console-domain": [domainSample, { ...operator, account: "help@a.example", domain: "a.example", searches: [] }],
  "console-clients": [clientsSample, operator],
  "console-audit": [audited, operator],
  "console-system": [systemPage(system), operator],
  "console-configuration": [configured, { ...operator, role: "admin" }],
  "console-api": [apiSample, operator],
  "console-api-operation": [apiOperationSample, operator],
  "console-preferences": [
    preferencesPage({ language: undefined, zone: "Europe/Berlin", next: "/console/overview", csrfToken: "sample" }),
    operator,
  ],
  "console-unknown-page": [noticePage("not_found"), operator],
  "console-rehearsal": [rehearsalSample(operator), { ...operator, role: "admin" }],
  "console-notice": [noticePage("one_factor")],
};

/** Names of the console's pages with sample data. */
export const consoleSampleNames: readonly string[] = Object.keys(samples);

/** A page of the console with sample data, as a browser gets it. */
export function consoleSample(
  name: string,
  origin: string,
  { path }: Pick<ConsoleAsset, "path">,
  language: ConsoleLanguage = englishLanguage,
): ShownPage {
  const [page, reader] = samples[name] ?? [];
  if (page === undefined) throw new Error(`no sample has the name ${name}`);
  const look = { language, zone: "Europe/Berlin", nowMs, path: "/console/overview" };
  return createShowPage(origin, "Example Mail", path)(page, reader, look);
}
