import type { Config } from "@postern/shared/platform/config";
import type { Secret } from "@postern/shared/platform/crypto";
import { type BackendSettings, liveEngineSettings } from "../../../services/auth-engine/src/settings.ts";
import { reportLdapSearches } from "./ldap-search.ts";
import { type MakeDeps, makeBackend } from "./make-directory.ts";
import { reportSqlQuery } from "./sql-search.ts";
import { type ReportStep, reasonOf, type TestStep, type Verdict } from "./steps.ts";
import { testAccount } from "./test-account.ts";

export interface TestedLogin {
  readonly username: string;
  readonly protocol: string;
  readonly password: Secret | undefined;
}

export interface LoginReport {
  readonly steps: readonly TestStep[];
  readonly verdict: Verdict;
}

type Answer = Awaited<ReturnType<typeof testAccount>>;

async function askBackend(
  settings: BackendSettings,
  login: TestedLogin,
  { report, timeoutMs, deps }: { readonly report: ReportStep; readonly timeoutMs: number; readonly deps: MakeDeps },
): Promise<Answer> {
  const { username, protocol, password } = login;
  const context = { deadline: deps.clock.now() + timeoutMs, signal: AbortSignal.timeout(timeoutMs) };
  const query = { username, protocol };
  const backend = await makeBackend(settings, deps);
  if (backend === undefined) {
    report("directory", "note", "Lua script: test it with `postern script test`");
    return "unknown";
  }
  try {
    await backend.check(context);
    report("connection", "ok", "established");
    if (settings.kind === "ldap") await reportLdapSearches(settings.settings, { query, context, report }, deps);
    if (settings.kind === "sql") reportSqlQuery(settings.settings, query, report);
    return await testAccount({ backend, query, password, context, report });
  } finally {
    await backend.close();
  }
}

/** The first backend that knows the user decides. A denial is final only if all backends before it were available. */
export async function testLogin(config: Config, login: TestedLogin, deps: MakeDeps): Promise<LoginReport> {
  const steps: TestStep[] = [];
  const report: ReportStep = (step, outcome, detail) => void steps.push({ step, outcome, detail });
  report("order", "ok", config.auth.backends.order.join(", "));
  if (login.password?.reveal() === "") {
    report("password", "stop", "empty: denied before any backend is queried");
    return { steps, verdict: "denied" };
  }
  return { steps, verdict: await verdictOf(config, login, { steps, deps }) };
}

interface TestContext {
  readonly steps: TestStep[];
  readonly deps: MakeDeps;
}

async function verdictOf(config: Config, login: TestedLogin, { steps, deps }: TestContext): Promise<Verdict> {
  let undecided: Verdict | undefined;
  let isServed = false;
  for (const settings of liveEngineSettings(config).backends) {
    const { name } = settings.settings;
    const reportStep: ReportStep = (step, outcome, detail) =>
      void steps.push({ step, outcome, detail, directory: name });
    const means = { report: reportStep, timeoutMs: config.runtime.timeouts.decision, deps };
    const answer = await askBackend(settings, login, means).catch((error: unknown): Answer => {
      reportStep("failure", "stop", reasonOf(error));
      return "temporary_failure";
    });
    if (answer === "accepted") return answer;
    if (answer === "denied") return undecided ?? answer;
    if (answer === "unknown_user") isServed = true;
    else if (answer === "unknown" && settings.kind !== "lua") return answer;
    else if (answer !== "not_served") undecided ??= answer;
  }
  return undecided ?? (isServed ? "denied" : "temporary_failure");
}
