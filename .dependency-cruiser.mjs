const tests = "(\\.test\\.ts$|^(test|tools|bench)/|/testing/)";
const domain =
  "^services/[^/]+/src/((dialects|pipeline|brute-force|limits)/|callers/(authenticate|basic|bearer|demands|outcome)\\.ts$)";
const contexts = "/context\\.ts$|/src/context/";
const adapters = "-(redis|nats|ldap|sql|http)\\.ts$";
/** Folders that talk to the site's backends. Their settings, and what checks a configuration without a connection, are no adapters. */
const backendAdapters = "^services/auth-engine/src/backends/(ldap|sql|lua)/";
const backendSettings = "/((ldap-|sql-|lua-)settings|preflight)\\.ts$";

const sections = "^libs/shared/src/platform/config/sections/";

/** A package as installed, or by its bare name where it could not be resolved. */
const packages = (...names) => `(^|node_modules/)(${names.join("|")})(/|$)`;

/** The rules of ARCHITECTURE: who may import whom. */
export default {
  forbidden: [
    {
      name: "no-service-to-service",
      comment: "Services share only libs/shared.",
      severity: "error",
      from: { path: "^services/([^/]+)/" },
      to: { path: "^(services/|@postern/(?!shared(/|$)))", pathNot: "^services/$1/" },
    },
    {
      name: "no-service-in-library",
      comment: "A library never imports a service.",
      severity: "error",
      from: { path: "^libs/" },
      to: { path: "^(services/|@postern/(?!shared(/|$)))" },
    },
    {
      name: "only-composition-roots-start-services",
      comment: "A service is started by its own main.ts, and by the one file that runs several in one process.",
      severity: "error",
      from: { pathNot: "^(services/[^/]+/src/main|cli/src/serve/one-process)\\.ts$" },
      to: { path: "^services/[^/]+/src/start\\.ts$" },
    },
    {
      name: "contracts-import-only-typebox",
      comment: "What travels between services depends on nothing of the services' own making.",
      severity: "error",
      from: { path: "^libs/shared/src/contracts/", pathNot: tests },
      to: { pathNot: ["^libs/shared/src/contracts/", packages("typebox")] },
    },
    {
      name: "layers-import-downward",
      comment: "libs/shared/src is contracts, platform, domain, assembly, in this order: none imports a later one.",
      severity: "error",
      from: { path: "^libs/shared/src/platform/", pathNot: tests },
      to: { path: "^libs/shared/src/(domain|assembly)/" },
    },
    {
      name: "layers-import-downward",
      severity: "error",
      from: { path: "^libs/shared/src/domain/", pathNot: tests },
      to: { path: "^libs/shared/src/assembly/" },
    },
    {
      name: "error-codes-are-a-leaf",
      comment: "Everything may import the table of errors, so it imports nothing.",
      severity: "error",
      from: { path: "^libs/shared/src/platform/errors/codes\\.ts$" },
      to: { path: "." },
    },
    {
      name: "only-bus-imports-nats",
      comment: "The client of the bus stays behind libs/shared/src/platform/bus.",
      severity: "error",
      from: { path: "^(services|libs)/", pathNot: "^libs/shared/src/(platform/bus|testing)/" },
      to: { path: packages("@nats-io/[^/]+", "nats") },
    },
    {
      name: "only-redis-imports-ioredis",
      comment: "Clients and scripts of Redis stay behind libs/shared/src/platform/redis.",
      severity: "error",
      from: { path: "^(services|libs)/", pathNot: "^libs/shared/src/(platform/redis|testing)/" },
      to: { path: packages("ioredis", "redis", "@redis/[^/]+") },
    },
    {
      name: "only-tracing-imports-opentelemetry",
      comment: "Code names spans by platform/tracing, so that no attribute can hold what a user chose.",
      severity: "error",
      from: { path: "^(services|libs)/", pathNot: "^libs/shared/src/platform/tracing/" },
      to: { path: packages("@opentelemetry/[^/]+") },
    },
    {
      name: "only-context-imports-adapters",
      comment:
        "Only context.ts, of a service or of a feature, constructs adapters; any file may import an adapter's type.",
      severity: "error",
      from: { path: "^services/[^/]+/src/", pathNot: [contexts, tests, adapters] },
      to: { path: `^services/[^/]+/src/.*${adapters}`, dependencyTypesNot: ["type-only"] },
    },
    {
      name: "only-context-imports-adapters",
      severity: "error",
      from: { path: "^services/[^/]+/src/", pathNot: [contexts, tests, adapters, backendAdapters] },
      to: { path: backendAdapters, pathNot: backendSettings, dependencyTypesNot: ["type-only"] },
    },
    {
      name: "domain-is-free-of-frameworks",
      comment: "Domain folders decide; they do not talk to the network.",
      severity: "error",
      from: { path: domain, pathNot: [tests, adapters] },
      to: { path: packages("fastify", "@nats-io/[^/]+", "ioredis", "bullmq", "ldapts", "pino", "prom-client") },
    },
    {
      name: "no-testing-in-shipped-code",
      comment: "Test parts and tests are imported by tests only.",
      severity: "error",
      from: { pathNot: tests },
      to: { path: ["/testing/", "\\.test\\.ts$"] },
    },
    {
      name: "no-undeclared-dependency",
      comment: "Shipped code imports what its own package.json lists under dependencies.",
      severity: "error",
      from: { path: "^(services|libs)/", pathNot: tests },
      to: { dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"] },
    },
    {
      name: "no-deep-import",
      comment: "Libraries are entered by @postern/<library>/<module>, as their exports say.",
      severity: "error",
      from: { path: "^(services|cli|tools|test|bench)/" },
      to: { path: "^libs/", dependencyTypes: ["local"], dependencyTypesNot: ["aliased-workspace"] },
    },
    { name: "no-circular", severity: "error", from: { pathNot: sections }, to: { circular: true } },
    {
      name: "no-circular",
      comment: "The checks of a section may name the type of the whole configuration, which is made of the sections.",
      severity: "error",
      from: { path: sections },
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "no-folder-cycle",
      comment:
        "Folders import one another in one direction. `tools/architecture/cruise.ts` reads no tests for this rule.",
      severity: "error",
      scope: "folder",
      from: {},
      to: { circular: true },
    },
    { name: "no-unresolvable", severity: "error", from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    // Under TypeScript 7 the default parser reads no TypeScript at all, finds nothing and passes.
    parser: "swc",
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^(services|libs)/[^/]+/dist/" },
    enhancedResolveOptions: {
      conditionNames: ["import", "node", "default"],
      exportsFields: ["exports"],
      extensions: [".ts", ".js"],
    },
  },
};
