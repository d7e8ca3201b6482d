import type { Removal } from "../../tools/removals/removal.ts";

const jobs = "test/integration/admin/jobs.test.ts";
const sqlListing = "test/integration/list-accounts/sql.test.ts";
const reloadTest = "test/integration/config/reload.test.ts";
const runService = "libs/shared/src/platform/lifecycle/run-service.ts";
const queued = "    reloading = reloading.then(() => (stopping ? undefined : reload()));\n";

/** Services that stop, jobs, reloads and upgrades. */
export const serviceRemovals: readonly Removal[] = [
  {
    name: "list-cut",
    mechanism: "the connection of a list that cannot be completed is reset",
    file: "services/gateway/src/list-accounts/answer-listing.ts",
    find: "      if (response.headersSent) cut(response);\n",
    replace: "      if (response.headersSent) response.end();\n",
    tests: [sqlListing, "test/integration/list-accounts/ldap.test.ts"],
    pattern: "the connection is cut",
    rows: ["an engine stops while accounts are being listed"],
  },
  {
    name: "list-at-any-engine",
    mechanism: "any engine reads the next page of a list from SQL",
    file: "services/auth-engine/src/backends/sql/list-accounts.ts",
    find: "{ text: last, isOpenHere: false }",
    replace: "{ text: last, isOpenHere: true }",
    tests: [sqlListing],
    pattern: "read from both engines",
    rows: ["an engine stops while accounts are being listed"],
  },
  {
    name: "owner-unavailable",
    mechanism: "the gateway answers for a service that it cannot reach",
    file: "services/gateway/src/internal-services/forward.ts",
    find: "        serviceFailed(exchange, error, deps);\n",
    replace: "        void error;\n        reply.raw.destroy();\n",
    tests: ["test/integration/admin/config-load.test.ts"],
    // The second one stops admin.
    pattern: "while admin is unavailable|a path that contains",
    rows: ["admin unavailable"],
  },
  {
    name: "sigterm",
    mechanism: "SIGTERM begins an orderly shutdown",
    file: runService,
    find: `  process.on("SIGTERM", () => stop("SIGTERM"));\n`,
    replace: "",
    tests: ["test/integration/services/start-and-stop.test.ts"],
    pattern: "become ready when|SIGTERM",
    rows: ["any service, SIGTERM"],
  },
  {
    name: "worker-finishes",
    mechanism: "a worker that stops takes no more jobs, and waits for those that run",
    file: "services/jobs-worker/src/start.ts",
    find: "Promise.all([worker.close(), notifications?.close(), regions?.stop()])",
    replace: "Promise.all([notifications?.close(), regions?.stop()])",
    tests: [jobs],
    // The first one kills the other worker.
    pattern: "SIGKILL during|SIGTERM",
    rows: ["a worker, SIGTERM"],
  },
  {
    name: "logout-deadline",
    mechanism: "a logout waits for service providers until a deadline",
    file: "services/idp/src/saml/logout/logout-transaction.ts",
    find: `  if (!isLate) return "asking";\n`,
    replace: `  if (!isLate || channel === "browser") return "asking";\n`,
    tests: ["test/integration/saml/browser-logout-in-chromium.slow.test.ts"],
    pattern: "reports a service provider that hangs",
    rows: ["a service provider hangs during a logout"],
  },
  {
    name: "unknown-members",
    mechanism: "members of messages that a version does not know are ignored",
    file: "libs/shared/src/platform/bus/schema-check.ts",
    find: "Compile<TSchema>(schema)",
    replace: "Compile<TSchema>({ ...schema, additionalProperties: false })",
    tests: ["test/integration/bus/request-reply.test.ts"],
    pattern: "peers of another version",
    rows: ["a peer of the next or previous version on NATS"],
  },
  {
    name: "reload-after-reload",
    mechanism: "a SIGHUP during a reload causes another one",
    file: runService,
    find: queued,
    replace:
      '    if (Object.hasOwn(process, "reload")) return;\n    Object.assign(process, { reload: true });\n    reloading = reload().finally(() => void Reflect.deleteProperty(process, "reload"));\n',
    tests: [reloadTest],
    pattern: "many signals in quick succession",
    rows: ["many SIGHUPs in quick succession"],
  },
  {
    name: "reloads-in-order",
    mechanism: "reloads follow each other",
    file: runService,
    find: queued,
    replace: "    void reload();\n",
    tests: [reloadTest],
    pattern: "many signals in quick succession",
    rows: ["many SIGHUPs in quick succession"],
  },
  {
    name: "long-earlier-subjects",
    mechanism: "engines serve the subjects to which earlier versions send",
    file: "libs/shared/src/contracts/subjects.ts",
    find: "method.major}",
    replace: "method.major + 1}",
    tests: ["test/long/outages/rolling-upgrade.test.ts"],
    rows: ["a rolling upgrade from an earlier version"],
  },
  {
    name: "long-renewed-certificates",
    mechanism: "certificates for Redis are read again for each connection",
    file: "libs/shared/src/assembly/redis-from-config.ts",
    find: "      content = readFileSync(path);\n",
    replace: "      void path;\n",
    tests: ["test/long/outages/renewed-certificates.test.ts"],
    rows: ["LDAP, NATS and Redis get certificates of another authority"],
  },
  {
    name: "implicit-tokens-end",
    mechanism: "signing out ends the tokens of the implicit flow of a client with offline access",
    file: "services/idp/src/oidc/tokens/token-records.ts",
    find: "(await outlives(grantId)) ? endImplicit(grantId) : endGrant(grantId)",
    replace: "(await outlives(grantId)) ? undefined : endGrant(grantId)",
    tests: ["test/integration/oidc/implicit-flow.slow.test.ts"],
    pattern: "where a code gave offline access",
    rows: ["a user signs out of a client that used the implicit flow"],
  },
];
