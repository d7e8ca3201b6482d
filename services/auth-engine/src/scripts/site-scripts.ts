import type { AuthDecision } from "@postern/shared/contracts";
import type { ScriptRunner } from "@postern/shared/domain/scripts";
import { type AppError, fromUnknown } from "@postern/shared/platform/errors";
import { steadyClock } from "@postern/shared/platform/time";
import type { Attempt } from "../decision/attempt.ts";
import { decisionTable, requestTable } from "./request-table.ts";
import { EnvironmentResult, resultReader, SubjectResult } from "./results.ts";

export interface NamedScript {
  readonly name: string;
  readonly path: string;
}

export interface ActionScript extends NamedScript {
  readonly type: "post" | "brute_force" | "lua";
}

/** The scripts that run before and after a decision; a reload replaces all of them together. */
export interface SiteScriptSettings {
  readonly environment: readonly NamedScript[];
  readonly subject: readonly NamedScript[];
  readonly actions: readonly ActionScript[];
  /** File of the script that knows further names of a flushed account. */
  readonly cacheFlush: string | undefined;
  readonly decisionTimeoutMs: number;
  readonly actionTimeoutMs: number;
}

export type ScriptStage = "environment" | "subject" | "action" | "start" | "cache_flush";

export interface SiteScriptsDeps {
  readonly settings: () => SiteScriptSettings;
  readonly decisions: ScriptRunner;
  readonly actions: ScriptRunner;
  readonly observe: (stage: ScriptStage, result: "ok" | "failed" | "dropped") => void;
  readonly onActionFailed: (script: string, session: string, error: AppError) => void;
}

export type EnvironmentVerdict = ReturnType<typeof readEnvironment>;
export type SubjectVerdict = ReturnType<typeof readSubject>;

/** Runs the scripts of each stage. A script that fails throws an `AppError`: no decision is possible. */
export interface SiteScripts {
  /** Whether the site has scripts for this stage. */
  has(stage: "environment" | "subject"): boolean;
  /** The verdicts of the environment scripts in order, up to one that skips the rest. */
  environment(attempt: Attempt, deadline: number): Promise<readonly EnvironmentVerdict[]>;
  subject(attempt: Attempt, decision: AuthDecision, deadline: number): Promise<readonly SubjectVerdict[]>;
  /** Starts the actions of an answered request and does not wait for them. */
  afterAnswer(attempt: Attempt, decision: AuthDecision): void;
}

const readEnvironment = resultReader(EnvironmentResult);
const readSubject = resultReader(SubjectResult);

function fits({ type }: ActionScript, decision: AuthDecision): boolean {
  if (type === "post") return true;
  if (type === "brute_force") return decision.outcome === "blocked";
  return decision.outcome === "fail" && decision.reason === "script";
}

function createAfterAnswer({
  settings,
  actions,
  observe,
  onActionFailed,
}: SiteScriptsDeps): SiteScripts["afterAnswer"] {
  return (attempt, decision) => {
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

export function createSiteScripts(deps: SiteScriptsDeps): SiteScripts {
  const { settings, decisions, observe } = deps;
  /** Runs all scripts in parallel. The first failure counts only if no earlier script ends the stage. */
  const inOrder = async <Verdict>(
    stage: "environment" | "subject",
    runs: readonly Promise<Verdict>[],
    isLast: (verdict: Verdict) => boolean,
  ): Promise<readonly Verdict[]> => {
    const verdicts: Verdict[] = [];
    const settled = await Promise.allSettled(runs);
    for (const run of settled) {
      observe(stage, run.status === "fulfilled" ? "ok" : "failed");
      if (run.status === "rejected") throw run.reason;
      verdicts.push(run.value);
      if (isLast(run.value)) break;
    }
    return verdicts;
  };
  const within = (deadline: number): number => Math.min(deadline, steadyClock.now() + settings().decisionTimeoutMs);
  return {
    has: (stage) => settings()[stage].length > 0,
    environment: async (attempt, deadline) => {
      const { environment } = settings();
      const args = [requestTable(attempt, true)];
      const { session } = attempt;
      const runs = environment.map(async ({ path: script }) =>
        readEnvironment(
          script,
          await decisions.run({ script, entry: "environment", args, deadline: within(deadline), session }),
        ),
      );
      return inOrder("environment", runs, ({ deny, skip }) => deny === true || skip === true);
    },
    subject: async (attempt, decision, deadline) => {
      const { subject } = settings();
      const args = [{ ...requestTable(attempt, true), decision: decisionTable(decision) }];
      const { session } = attempt;
      const runs = subject.map(async ({ path: script }) =>
        readSubject(
          script,
          await decisions.run({ script, entry: "subject", args, deadline: within(deadline), session }),
        ),
      );
      return inOrder("subject", runs, ({ deny }) => deny === true);
    },
    afterAnswer: createAfterAnswer(deps),
  };
}
