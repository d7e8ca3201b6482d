import type { AuthDecision } from "@postern/shared/contracts";
import type { LuaObject, LuaValue, ScriptRunner } from "@postern/shared/domain/scripts";
import { type AppError, fromUnknown } from "@postern/shared/platform/errors";
import { steadyClock } from "@postern/shared/platform/time";
import type { Attempt } from "../pipeline/attempt.ts";
import { EnvironmentResult, resultReader, SubjectResult } from "./results.ts";
import type { SiteScriptSettings } from "./script-settings.ts";

/** The attempt as scripts see it, with the fields of docs/operate/scripts/stages.md. Actions do not get the password. */
function requestTable({ tlsDetails, password, ...attempt }: Attempt, withPassword: boolean): LuaObject {
  return {
    session: attempt.session,
    operation: attempt.operation,
    dialect: attempt.dialect,
    username: attempt.username,
    password: withPassword ? password?.reveal() : undefined,
    protocol: attempt.protocol,
    method: attempt.method,
    client_ip: attempt.clientIp,
    client_port: attempt.clientPort,
    client_hostname: attempt.clientHostname,
    client_id: attempt.clientId,
    external_session_id: attempt.externalSessionId,
    user_agent: attempt.userAgent,
    local_ip: attempt.localIp,
    local_port: attempt.localPort,
    login_attempt: attempt.loginAttempt,
    tls: attempt.tls,
    tls_details: tlsDetails,
    oidc_client_id: attempt.oidcClientId,
    accept_language: attempt.acceptLanguage,
  };
}

/** The decision as later scripts see it. */
function decisionTable(decision: AuthDecision): LuaObject {
  switch (decision.outcome) {
    case "ok": {
      const { outcome, account, backend, attributes, risk } = decision;
      return { outcome, account, backend, attributes, risk };
    }
    case "fail":
      return { outcome: decision.outcome, reason: decision.reason, message: decision.message, risk: decision.risk };
    case "blocked":
      return { outcome: decision.outcome, rule: decision.rule, message: decision.message };
    case "tempfail":
      return { outcome: decision.outcome, code: decision.code };
  }
}

export type ScriptStage = "environment" | "subject" | "action" | "start" | "cache_flush";

export interface SiteScriptsDeps {
  readonly settings: () => SiteScriptSettings;
  readonly decisions: Pick<ScriptRunner, "run">;
  readonly actions: Pick<ScriptRunner, "run">;
  readonly observe: (stage: ScriptStage, result: "ok" | "failed" | "dropped") => void;
  readonly onActionFailed: (script: string, session: string, error: AppError) => void;
}

export type EnvironmentVerdict = ReturnType<typeof readEnvironment>;
export type SubjectVerdict = ReturnType<typeof readSubject>;

const readEnvironment = resultReader(EnvironmentResult);
const readSubject = resultReader(SubjectResult);

function fits({ type }: SiteScriptSettings["actions"][number], decision: AuthDecision): boolean {
  if (type === "post") return true;
  if (type === "brute_force") return decision.outcome === "blocked";
  return decision.outcome === "fail" && decision.reason === "script";
}

function createAfterAnswer({ settings, actions, observe, onActionFailed }: SiteScriptsDeps) {
  return (attempt: Attempt, decision: AuthDecision): void => {
    const all = settings();
    const { session } = attempt;
    for (const action of all.actions) {
      if (!fits(action, decision)) continue;
      const args = [{ ...requestTable(attempt, false), decision: decisionTable(decision) }];
      const deadline = steadyClock.now() + all.actionTimeoutMs;
      actions.run({ script: action.path, entry: "action", args, deadline, session }).then(
        () => observe("action", "ok"),
        (thrown: unknown) => {
          const error = fromUnknown(thrown);
          observe("action", error.code === "OVERLOADED" ? "dropped" : "failed");
          onActionFailed(action.path, session, error);
        },
      );
    }
  };
}

/** Runs the scripts of each stage. A script that fails throws an `AppError`: no decision is possible. */
export function createSiteScripts(deps: SiteScriptsDeps) {
  const { settings, decisions, observe } = deps;
  /** Runs all scripts in parallel. The first failure counts only if no earlier script ends the stage. */
  const runStage = async <Verdict extends { readonly deny?: boolean; readonly skip?: boolean }>(
    stage: "environment" | "subject",
    read: (script: string, value: LuaValue) => Verdict,
    call: Pick<Parameters<ScriptRunner["run"]>[0], "args" | "deadline" | "session">,
  ): Promise<readonly Verdict[]> => {
    const { [stage]: scripts, decisionTimeoutMs } = settings();
    const run = { ...call, entry: stage, deadline: Math.min(call.deadline, steadyClock.now() + decisionTimeoutMs) };
    const runs = scripts.map(async ({ path: script }) => read(script, await decisions.run({ ...run, script })));
    const verdicts: Verdict[] = [];
    const settled = await Promise.allSettled(runs);
    for (const one of settled) {
      observe(stage, one.status === "fulfilled" ? "ok" : "failed");
      if (one.status === "rejected") throw one.reason;
      verdicts.push(one.value);
      if (one.value.deny === true || one.value.skip === true) break;
    }
    return verdicts;
  };
  return {
    /** Whether the site has scripts for this stage. */
    has: (stage: "environment" | "subject"): boolean => settings()[stage].length > 0,
    /** The verdicts of the environment scripts in order, up to one that skips the rest. */
    environment: (attempt: Attempt, deadline: number): Promise<readonly EnvironmentVerdict[]> => {
      const { session } = attempt;
      return runStage("environment", readEnvironment, { args: [requestTable(attempt, true)], deadline, session });
    },
    subject: (attempt: Attempt, decision: AuthDecision, deadline: number): Promise<readonly SubjectVerdict[]> => {
      const args = [{ ...requestTable(attempt, true), decision: decisionTable(decision) }];
      return runStage("subject", readSubject, { args, deadline, session: attempt.session });
    },
    /** Starts the actions of an answered request and does not wait for them. */
    afterAnswer: createAfterAnswer(deps),
  };
}

export type SiteScripts = ReturnType<typeof createSiteScripts>;
