import {
  type AuthPolicyCommand,
  type AuthPolicyEffect,
  type AuthPolicyLogin,
  type AuthPolicyVerdict,
  authPolicyAllow,
  authPolicyReport,
  authPolicyReset,
} from "@postern/shared/contracts";
import type { CallerDomains } from "@postern/shared/domain/domains";
import { AppError } from "@postern/shared/platform/errors";
import { steadyClock } from "@postern/shared/platform/time";
import { ofCaller } from "../callers/caller-domains.ts";
import { engineError } from "../engine-error.ts";
import type { HttpReply } from "../http/reply.ts";
import type { DovecotDeps } from "./context.ts";
import { type Members, unknownMembers } from "./members.ts";
import { type PolicyOutcome, type PolicyResult, policyOutcomes } from "./policy-log.ts";
import { type PolicyRequestFacts, readPolicyLogin, readPolicyReport, readPolicyReset } from "./read-request.ts";

interface CommandRequest {
  readonly command: AuthPolicyCommand;
  readonly members: Members;
  readonly facts: PolicyRequestFacts;
  readonly caller: string | undefined;
  /** What the API caller may reach; null for all domains. */
  readonly domains: CallerDomains | null;
  /** A reset that was done or failed, for the audit stream. */
  readonly resetDone: (target: string, outcome: "ok" | "failed") => void;
}

type CommandAnswer = { readonly reply: HttpReply; readonly outcome: PolicyOutcome };

function resultOfVerdict({ verdict, reason, rule, delaySeconds, domain }: AuthPolicyVerdict): PolicyResult {
  if (verdict === "accept") return { outcome: "accepted", domain };
  return { outcome: verdict === "reject" ? "rejected" : "delayed", reason, rule, delaySeconds, domain };
}

function resultOfEffect({ effect, rule, domain }: AuthPolicyEffect): PolicyResult {
  return { outcome: policyOutcomes.find((known) => known === effect) ?? "done", rule, domain };
}

/** Dovecot waits two seconds by default, and an answer within this time tells it why. */
const patienceMs = 1500;

function asOurs(thrown: unknown): never {
  throw engineError(thrown);
}

/**
 * Answers one command of the auth-policy protocol.
 *
 * @throws AppError of kind `caller` for a malformed request, any other if no engine could answer
 */
export function createAnswerCommand({ bus, live, renderer, log, engineWatch }: DovecotDeps) {
  const deadlineIn = (longestMs: number) => ({
    deadline: steadyClock.now() + Math.min(longestMs, live.current.decisionTimeoutMs),
  });
  const allow = async ({ members, facts, caller, domains }: CommandRequest): Promise<CommandAnswer> => {
    const started = performance.now();
    const login = ofCaller(readPolicyLogin(members, facts), domains);
    const verdict = await bus.request(authPolicyAllow, login, deadlineIn(patienceMs)).catch(asOurs);
    const result = resultOfVerdict(verdict);
    log.answered("allow", login, { ...result, caller }, (performance.now() - started) / 1000);
    return { reply: renderer.verdict(verdict, facts.session), outcome: result.outcome };
  };
  const report = async ({ members, facts, caller, domains }: CommandRequest): Promise<CommandAnswer> => {
    const started = performance.now();
    const read = readPolicyReport(members, facts);
    const done = (login: AuthPolicyLogin, result: PolicyResult): CommandAnswer => {
      log.answered("report", login, { ...result, caller }, (performance.now() - started) / 1000);
      return { reply: renderer.done(facts.session), outcome: result.outcome };
    };
    if (read.ignored !== undefined) return done(read.login, { outcome: "ignored", reason: read.ignored });
    const reported = ofCaller(read.login, domains);
    const effect = await bus.request(authPolicyReport, reported, deadlineIn(patienceMs)).catch(asOurs);
    return done(read.login, resultOfEffect(effect));
  };
  const reset = async ({ members, facts: { session }, resetDone }: CommandRequest): Promise<CommandAnswer> => {
    const request = readPolicyReset(members, session);
    const target = [request.address, request.username].filter((part) => part !== undefined).join(" ");
    try {
      await bus.request(authPolicyReset, request, deadlineIn(Number.POSITIVE_INFINITY)).catch(asOurs);
    } catch (thrown) {
      resetDone(target, "failed");
      throw thrown;
    }
    resetDone(target, "ok");
    return { reply: renderer.done(session), outcome: "done" };
  };
  const ping = async ({ facts }: CommandRequest): Promise<CommandAnswer> => {
    if (engineWatch.engines() === 0) throw new AppError("ENGINE_SILENT");
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
