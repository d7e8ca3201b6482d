// Runs the OpenID Foundation's conformance suite against two replicas of the identity provider and two gateways.
// Usage: tools/conformance.ts --suite JAR|https://HOST:PORT [--java COMMAND] [--record] [PLAN...]
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { scratchFolder } from "@postern/testing";
import { setup as buildBundles } from "../test/support/bundle-services.ts";
import { accepted } from "./conformance/accepted.ts";
import { configuredClients, makeKeys } from "./conformance/clients.ts";
import { alias, behaviours, type ConformancePlan, conformancePlans } from "./conformance/plans.ts";
import { makeTls, startProvider } from "./conformance/postern.ts";
import { record, writeResults } from "./conformance/recorded.ts";
import { countsOf, type ModuleResult, type PlanResult, problemsOf } from "./conformance/results.ts";
import { type ModuleDeps, runModule } from "./conformance/run-module.ts";
import { createSuiteApi } from "./conformance/suite-api.ts";
import { runningSuite, startSuite } from "./conformance/suite-process.ts";
import { launchChromium } from "./pages/chromium.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const work = join(root, ".run/conformance");

type Run = ModuleDeps & {
  readonly keys: ReturnType<typeof makeKeys>;
  readonly commit: string;
  readonly tree: string;
};

function git(args: readonly string[], input = ""): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8", input }).trim();
}

const changed = (...paths: readonly string[]): string =>
  git(["status", "--porcelain", "--", ...paths]) === "" ? "" : "+";

/** The commit that is tested; with `+` if files are changed, apart from the results of plans that have ended. */
function testedCommit(): string {
  return `${git(["rev-parse", "--short=10", "HEAD"])}${changed(".", ":(exclude)tools/conformance/results.json")}`;
}

/** Identifies the product's code, whatever else a commit changes; with `+` if files are changed. */
function productTree(): string {
  const folders = ["services", "libs"];
  const tree = git(["hash-object", "--stdin"], `${git(["ls-tree", "HEAD", ...folders])}\n`);
  return `${tree.slice(0, 10)}${changed(...folders)}`;
}

async function runPlan(run: Run, { name, plan, variant, configuration }: ConformancePlan): Promise<PlanResult> {
  const { suite, issuer, keys } = run;
  const server = { discoveryUrl: `${issuer}/.well-known/openid-configuration` };
  const shared = { alias, description: `Postern ${name}`, server };
  const { id, modules } = await suite.createPlan(plan, variant, { ...shared, ...configuration(keys) });
  const ended: ModuleResult[] = [];
  const versions = new Set<string>();
  for (const module of modules) {
    const { version, ...result } = await runModule(run, { id, name, behaviours }, module);
    if (version !== undefined) versions.add(version);
    ended.push(result);
    console.log(`  ${result.outcome.padEnd(8)}${result.module}`);
    for (const finding of result.findings) console.log(`          ${finding}`);
  }
  const date = new Date().toISOString().slice(0, "2026-01-01".length);
  const { commit, tree } = run;
  return { plan: name, date, suiteVersion: [...versions].join(", "), commit, tree, modules: ended };
}

/** Runs the plans, reports each when it ends, and passes it on. */
async function runPlans(
  run: Run,
  plans: readonly ConformancePlan[],
  onEnd: (ended: readonly PlanResult[]) => void,
): Promise<readonly PlanResult[]> {
  const ended: PlanResult[] = [];
  for (const plan of plans) {
    console.log(plan.name);
    const result = await runPlan(run, plan);
    ended.push(result);
    onEnd(ended);
    const counts = Object.entries(countsOf(result)).map(([outcome, count]) => `${count} ${outcome.toLowerCase()}`);
    console.log(`${plan.name}: ${result.modules.length} modules, ${counts.join(", ")}`);
  }
  return ended;
}

/** OpenID Connect as the plans need it, without the clients. */
const oidc = {
  scopes_supported: ["openid", "profile", "email", "address", "phone", "offline_access"],
  session_management: { enabled: true },
  // The dynamic plan demands the implicit flow.
  response_types_supported: ["code", "id_token", "id_token token"],
  // Replicas read the keys each quarter of this time, and a rotation can be repeated after it.
  key_publish_delay: "20s",
  dynamic_registration: {
    enabled: true,
    open: true,
    per_minute: 1000,
    max_pending_per_network: 1000,
    request_uris: true,
    unsigned_request_objects: true,
    // The suite publishes the keys of its clients on loopback.
    grant_types: ["authorization_code", "refresh_token", "implicit"],
    jwks_networks: ["127.0.0.0/8", "::1/128"],
  },
};

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      suite: { type: "string" },
      java: { type: "string", default: "java" },
      record: { type: "boolean" },
      "access-tokens": { type: "string", default: "opaque" },
    },
  });
  const { "access-tokens": format } = values;
  if (values.record === true && format !== "opaque")
    throw new Error("only runs with opaque access tokens are recorded");
  if (values.suite === undefined || values.suite === "")
    throw new Error("the suite is missing: make conformance SUITE=<jar>");
  await using owned = new AsyncDisposableStack();
  // Otherwise an interrupted run leaves its servers behind.
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void owned.disposeAsync().finally(() => process.exit(130)));
  }
  const { path: folder } = owned.use(await scratchFolder());
  await makeTls(folder);
  mkdirSync(work, { recursive: true });
  const libraries = join(work, "storage");
  const places = { source: resolve(values.suite), java: values.java, folder, libraries };
  const suite = runningSuite(values.suite) ?? (await startSuite(owned, places));
  await buildBundles();
  const keys = makeKeys();
  const addresses = { test: `${suite.url}/test/a/${alias}` };
  const clients = configuredClients(addresses, keys);
  const settings = { ...oidc, access_token_type: format };
  const provider = await startProvider(owned, folder, {
    clients,
    oidc: settings,
    certified: keys.mutual.map(({ id }) => id),
  });
  const browser = owned.use(await launchChromium());
  const run = {
    suite: createSuiteApi(suite.api),
    browser,
    issuer: provider.issuer,
    pictures: join(work, "pictures"),
    operate: { "oidcc-server-rotate-keys": provider.rotateKeys },
    keys,
    commit: testedCommit(),
    tree: productTree(),
  };
  const all = conformancePlans(provider);
  const plans = all.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const names = all.map(({ name }) => name);
  // After each plan, so that an interrupted run keeps what has ended.
  const results = await runPlans(run, plans, (ended) => {
    writeResults(join(work, "results.json"), ended);
    if (values.record === true) record(ended, names);
  });
  const problems = problemsOf(results, accepted);
  for (const problem of problems) console.log(`not accepted: ${problem}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

await main();
