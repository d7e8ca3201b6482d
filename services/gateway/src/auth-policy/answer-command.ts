import type {
  AuthPolicyCommand,
  AuthPolicyEffect,
  AuthPolicyLogin,
  AuthPolicyVerdict,
} from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import type { HttpReply } from "../http/reply.ts";
import type { AskEngine } from "./ask-engine.ts";
import { type PolicyLog, type PolicyOutcome, type PolicyResult, policyOutcomes } from "./policy-log.ts";
import { type Members, unknownMembers } from "./read-members.ts";
import { type PolicyRequestFacts, readPolicyLogin, readPolicyReport, readPolicyReset } from "./read-request.ts";
import type { PolicyRenderer } from "./render.ts";

export interface AnswerCommandDeps {
  readonly engine: AskEngine;
  readonly renderer: PolicyRenderer;
  readonly log: Pick<PolicyLog, "answered" | "ignoredMembers">;
  /** The name of the API caller, if it has authenticated. */
  readonly caller: string | undefined;
  /** Number of engines whose heartbeat arrived recently. */
  readonly engines: () => number;
  /** A reset that was done or failed, for the audit stream. */
  readonly resetDone: (target: string, outcome: "ok" | "failed") => void;
}

export interface CommandRequest {
  readonly command: AuthPolicyCommand;
  readonly members: Members;
  readonly facts: PolicyRequestFacts;
}

export interface CommandAnswer {
  readonly reply: HttpReply;
  readonly outcome: PolicyOutcome;
}

function resultOfVerdict({ verdict, reason, rule, delaySeconds }: AuthPolicyVerdict): PolicyResult {
  if (verdict === "accept") return { outcome: "accepted" };
  return { outcome: verdict === "reject" ? "rejected" : "delayed", reason, rule, delaySeconds };
}

function resultOfEffect({ effect, rule }: AuthPolicyEffect): PolicyResult {
  return { outcome: policyOutcomes.find((known) => known === effect) ?? "done", rule };
}

/**
 * Answers one command of the auth-policy protocol.
 *
 * @throws AppError of kind `caller` for a malformed request, any other if no engine could answer
 */
export function createAnswerCommand({ engine, renderer, log, caller, engines, resetDone }: AnswerCommandDeps) {
  const allow = async ({ members, facts }: CommandRequest): Promise<CommandAnswer> => {
    const started = performance.now();
    const login = readPolicyLogin(members, facts);
    const verdict = await engine.allow(login);
    const result = resultOfVerdict(verdict);
    log.answered("allow", login, { ...result, caller }, (performance.now() - started) / 1000);
    return { reply: renderer.verdict(verdict, facts.session), outcome: result.outcome };
  };
  const report = async ({ members, facts }: CommandRequest): Promise<CommandAnswer> => {
    const started = performance.now();
    const read = readPolicyReport(members, facts);
    const done = (login: AuthPolicyLogin, result: PolicyResult): CommandAnswer => {
      log.answered("report", login, { ...result, caller }, (performance.now() - started) / 1000);
      return { reply: renderer.done(facts.session), outcome: result.outcome };
    };
    if (read.ignored !== undefined) return done(read.login, { outcome: "ignored", reason: read.ignored });
    return done(read.login, resultOfEffect(await engine.report(read.login)));
  };
  const reset = async ({ members, facts: { session } }: CommandRequest): Promise<CommandAnswer> => {
    const request = readPolicyReset(members, session);
    const target = [request.address, request.username].filter((part) => part !== undefined).join(" ");
    try {
      await engine.reset(request);
    } catch (thrown) {
      resetDone(target, "failed");
      throw thrown;
    }
    resetDone(target, "ok");
    return { reply: renderer.done(session), outcome: "done" };
  };
  const ping = async ({ facts }: CommandRequest): Promise<CommandAnswer> => {
    if (engines() === 0) throw new AppError("ENGINE_SILENT");
    return { reply: renderer.done(facts.session), outcome: "done" };
  };
  const handlers = { allow, report, reset, ping } as const;
  return async (request: CommandRequest): Promise<CommandAnswer> => {
    const answer = await handlers[request.command](request);
    log.ignoredMembers(unknownMembers(request.members));
    return answer;
  };
}

export type AnswerCommand = ReturnType<typeof createAnswerCommand>;
