import type { CallerDomains } from "@postern/shared/domain/domains";
import type { VerifiedToken } from "@postern/shared/domain/tokens";
import type { Caller } from "@postern/shared/platform/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { WireNames } from "../http/naming.ts";
import { sendTooManyRequests } from "../http/reply.ts";
import type { Limits } from "../limits/context.ts";
import { isPasswordPath, passwordKey } from "../limits/password-failures.ts";
import type { GatewayMetrics } from "../metrics.ts";
import type { LiveGatewaySettings } from "../settings.ts";
import { type CallerFinding, domainsOf, judge, settledFinding } from "./authenticate.ts";
import { bearerName } from "./bearer.ts";
import { atListener } from "./caller-domains.ts";
import { lackingScopes, type RouteDemand } from "./demands.ts";
import { type CallerAuthOutcome, outcomeRow } from "./outcome.ts";
import type { createRejectCaller, Rejection } from "./reject.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** How the API caller authenticated; `none` before that, and where no authentication is required. */
    callerMethod: Caller["method"];
    /** Whether the caller is admitted without authentication. */
    isOpenCaller: boolean;
    /** The name of the credential's owner. */
    callerName: string | null;
    callerToken: VerifiedToken | null;
    /** What the caller may reach, and means by a name without a domain; null for all domains, and that of the site. */
    callerDomains: CallerDomains | null;
  }
}

/** A hook that may wait. It rejects a request by answering it; Fastify then calls neither further hooks nor the handler. */
export type OnRequest = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

export interface BudgetHookDeps {
  readonly budget: Limits["budget"];
  readonly callerAddressKey: (request: FastifyRequest) => string;
  readonly reject: ReturnType<typeof createRejectCaller>;
  readonly metrics: Pick<GatewayMetrics, "callerChecked">;
}

export interface CallerHookDeps extends BudgetHookDeps {
  readonly live: { readonly current: Pick<LiveGatewaySettings, "checkCaller" | "decisionTimeoutMs"> };
  readonly metrics: Pick<GatewayMetrics, "callerChecked" | "basicCallerChecked">;
  readonly callerAddress: (request: FastifyRequest) => string;
  /** For callers that are admitted without authentication. */
  readonly limitAddress: OnRequest;
}

/** Answers 429: the failure budget of the caller's address is empty for this long. */
async function rejectExhausted(
  { reject, metrics }: BudgetHookDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  retryAfterMs: number,
): Promise<void> {
  metrics.callerChecked("budget_exhausted");
  reject(request, reply, { outcome: "budget_exhausted", retryAfterMs });
}

function storeCaller(request: FastifyRequest, finding: CallerFinding): void {
  if (typeof finding === "string") return;
  request.callerDomains = atListener(request.callerDomains, domainsOf(finding));
  if (finding.outcome === "ok_basic") {
    request.callerMethod = "basic";
    request.callerName = finding.caller.name;
    return;
  }
  request.callerMethod = "bearer";
  request.callerName = bearerName(finding.token);
  request.callerToken = finding.token;
}

/** What the response to a rejected caller, and the audit stream, say about it. */
function aboutRejected(
  request: FastifyRequest,
  { finding, outcome }: { readonly finding: CallerFinding; readonly outcome: CallerAuthOutcome },
  { needOf }: RouteDemand<FastifyRequest>,
) {
  if (typeof finding === "string") return undefined;
  if (finding.outcome === "ok_basic") return { caller: finding.caller.name };
  if (outcome === "operation_denied") return { caller: bearerName(finding.token) };
  return { lacking: lackingScopes(finding.token, needOf(request)) };
}

/** Rejects a caller: a failure takes a token, and the answer is 429 instead when none is left. */
function createFail(deps: CallerHookDeps) {
  const { reject, metrics, budget, callerAddressKey } = deps;
  return async (request: FastifyRequest, reply: FastifyReply, rejection: Rejection, key?: string): Promise<void> => {
    const { spendsBudget } = outcomeRow(rejection.outcome);
    const waitMs = spendsBudget ? await budget.spend(key ?? callerAddressKey(request)) : 0;
    if (waitMs > 0) return rejectExhausted(deps, request, reply, waitMs);
    metrics.callerChecked(rejection.outcome);
    reject(request, reply, rejection);
  };
}

/** Read while the socket exists: the address of a disconnected client is no longer available. */
type From = { readonly callerIp: string; readonly key: string };

/**
 * Admits configured API callers, before a body is read. A success takes no token; while the address's budget is empty, credentials are not
 * evaluated.
 */
export function createCallerAuthHook(deps: CallerHookDeps, demand: RouteDemand<FastifyRequest>): OnRequest {
  const { live, metrics, budget, callerAddress, callerAddressKey, limitAddress } = deps;
  const fail = createFail(deps);
  const settle = async (
    request: FastifyRequest,
    reply: FastifyReply,
    finding: CallerFinding,
    from?: From,
  ): Promise<void> => {
    const outcome = judge(finding, request, demand);
    if (typeof finding !== "string" && finding.outcome === "ok_basic")
      metrics.basicCallerChecked(finding.caller.name, outcome);
    if (outcomeRow(outcome).httpStatus !== 200) {
      const rejection = { outcome, callerIp: from?.callerIp, ...aboutRejected(request, { finding, outcome }, demand) };
      await fail(request, reply, rejection, from?.key);
      return;
    }
    storeCaller(request, finding);
    metrics.callerChecked(outcome);
    if (outcome !== "ok_open") return;
    request.isOpenCaller = true;
    await limitAddress(request, reply);
  };
  const settleLater = async (
    request: FastifyRequest,
    reply: FastifyReply,
    found: Promise<CallerFinding>,
  ): Promise<void> => {
    const from = { callerIp: callerAddress(request), key: callerAddressKey(request) };
    const finding = await settledFinding(found, live.current.decisionTimeoutMs, (leave) => {
      const onClose = (): void => leave("canceled");
      reply.raw.once("close", onClose);
      return () => reply.raw.removeListener("close", onClose);
    });
    await settle(request, reply, finding, from);
  };
  const evaluate = (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const found = live.current.checkCaller(request.raw.headers.authorization, () => callerAddress(request));
    // Awaiting a finding that is known would let pipelined requests be evaluated before this one takes its token.
    return found instanceof Promise ? settleLater(request, reply, found) : settle(request, reply, found);
  };
  return (request, reply) =>
    budget.clear
      ? evaluate(request, reply)
      : budget.admit(callerAddressKey(request), (waitMs) =>
          waitMs === 0 ? evaluate(request, reply) : rejectExhausted(deps, request, reply, waitMs),
        );
}

/** For `GET /api/v1/auth/basic`, where each request takes a token, even a successful one. */
export function createSpendBudgetHook(deps: BudgetHookDeps): OnRequest {
  const { budget, callerAddressKey } = deps;
  return async (request, reply) => {
    const waitMs = await budget.spend(callerAddressKey(request));
    if (waitMs > 0) await rejectExhausted(deps, request, reply, waitMs);
  };
}

/** For a client with as many passwords being verified as its budget has tokens: some of them may turn out to be right. */
const retryAfterMs = 1000;

/** For the password path: 429 while the client's password budget is empty, or all its tokens are reserved. */
function createAdmitGuessHook(deps: BudgetHookDeps, { passwordBudget, guesses }: Limits): OnRequest {
  return async (request, reply) => {
    const key = passwordKey(deps.callerAddressKey(request));
    await passwordBudget.admit(key, async (emptyForMs) => {
      const { raw: response } = reply;
      if (response.destroyed) {
        // The client disconnected while it waited: nothing is left to answer.
        reply.hijack();
        return;
      }
      if (emptyForMs === 0 && guesses.enter(request, { response, key, tokens: passwordBudget.left(key) })) return;
      await rejectExhausted(deps, request, reply, emptyForMs || retryAfterMs);
    });
  };
}

/** For paths whose service checks credentials: 429 while the address's failure budget is empty, and for a user's password also its own. */
export function createAdmitByBudgetHook(deps: BudgetHookDeps, limits: Limits): OnRequest {
  const { budget, callerAddressKey } = deps;
  const admitGuess = createAdmitGuessHook(deps, limits);
  return async (request, reply) => {
    if (!budget.clear) {
      await budget.admit(callerAddressKey(request), async (waitMs) => {
        if (waitMs > 0) await rejectExhausted(deps, request, reply, waitMs);
      });
    }
    if (!reply.sent && isPasswordPath(request.raw.url)) await admitGuess(request, reply);
  };
}

/** For routes without caller authentication: each request counts, and requests above the limit are answered with 429 immediately. */
export function createLimitAddressHook(
  { addressLimit, limited }: Pick<Limits, "addressLimit" | "limited">,
  callerAddressKey: (request: FastifyRequest) => string,
  names: WireNames,
): OnRequest {
  return async (request, reply) => {
    const waitMs = addressLimit(callerAddressKey(request));
    if (waitMs === 0) return;
    limited();
    sendTooManyRequests(reply, names, waitMs);
  };
}
