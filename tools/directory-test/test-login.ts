import type { Config } from "@postern/shared/config";
import type { Secret } from "@postern/shared/crypto";
import { type DirectorySettings, liveEngineSettings } from "../../services/auth-engine/src/settings.ts";
import { tellLdapSearches } from "./ldap-search.ts";
import { type MakeDeps, makeDirectory } from "./make-directory.ts";
import { tellSqlQuery } from "./sql-search.ts";
import { reasonOf, type Tell, type TestStep, type Verdict } from "./steps.ts";
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

async function askDirectory(
  settings: DirectorySettings,
  login: TestedLogin,
  { tell, timeoutMs, deps }: { readonly tell: Tell; readonly timeoutMs: number; readonly deps: MakeDeps },
): Promise<Answer> {
  const { username, protocol, password } = login;
  const context = { deadline: deps.clock.now() + timeoutMs, signal: AbortSignal.timeout(timeoutMs) };
  const query = { username, protocol };
  const directory = await makeDirectory(settings, deps);
  if (directory === undefined) {
    tell("directory", "note", "a script: see `postern script test`");
    return "unknown";
  }
  try {
    await directory.check(context);
    tell("connection", "ok", "answers");
    if (settings.kind === "ldap") await tellLdapSearches(settings.settings, { query, context, tell }, deps);
    if (settings.kind === "sql") tellSqlQuery(settings.settings, query, tell);
    return await testAccount({ directory, query, password, context, tell });
  } finally {
    await directory.close();
  }
}

/** The first directory that knows the user decides; a denial stands only when all before it could be asked. */
export async function testLogin(config: Config, login: TestedLogin, deps: MakeDeps): Promise<LoginReport> {
  const steps: TestStep[] = [];
  const tell: Tell = (step, outcome, detail) => void steps.push({ step, outcome, detail });
  tell("order", "ok", config.auth.backends.order.join(", "));
  if (login.password?.reveal() === "") {
    tell("password", "stop", "empty: denied before any directory is asked");
    return { steps, verdict: "denied" };
  }
  return { steps, verdict: await verdictOf(config, login, { steps, deps }) };
}

interface Telling {
  readonly steps: TestStep[];
  readonly deps: MakeDeps;
}

async function verdictOf(config: Config, login: TestedLogin, { steps, deps }: Telling): Promise<Verdict> {
  let undecided: Verdict | undefined;
  let isServed = false;
  for (const settings of liveEngineSettings(config).directories) {
    const { name } = settings.settings;
    const tellOf: Tell = (step, outcome, detail) => void steps.push({ step, outcome, detail, directory: name });
    const means = { tell: tellOf, timeoutMs: config.runtime.timeouts.decision, deps };
    const answer = await askDirectory(settings, login, means).catch((error: unknown): Answer => {
      tellOf("failure", "stop", reasonOf(error));
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
