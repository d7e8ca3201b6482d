import type { Audit } from "@postern/shared/domain/audit";
import { type EngineWatch, watchedBus } from "@postern/shared/domain/engine-watch";
import type { Bus } from "@postern/shared/platform/bus";
import type { ProcessLogger } from "@postern/shared/platform/logging";
import { steadyClock } from "@postern/shared/platform/time";
import type { FastifyRequest } from "fastify";
import { type AnswerCommand, createAnswerCommand } from "../auth-policy/answer-command.ts";
import { createAskEngine } from "../auth-policy/ask-engine.ts";
import { createPolicyLog } from "../auth-policy/policy-log.ts";
import { createPolicyRenderer } from "../auth-policy/render.ts";
import type { WireNames } from "../http/naming.ts";
import type { Limits } from "../limits/context.ts";
import type { GatewayMetrics } from "../metrics.ts";
import { createReadBody } from "../http/body.ts";
import type { AuthPolicyRouteDeps } from "../routes/auth-policy/post-auth-policy.ts";
import type { GatewaySettings, LiveGatewaySettings } from "../settings.ts";
import type { ClientAddresses } from "../dialects/context.ts";

export interface AuthPolicyParts extends ClientAddresses {
  readonly audit: Audit;
  readonly bus: Bus;
  readonly engineWatch: EngineWatch;
  readonly settings: GatewaySettings;
  readonly live: { readonly current: LiveGatewaySettings };
  readonly names: WireNames;
  readonly limits: Limits;
  readonly metrics: GatewayMetrics;
  readonly processLogger: ProcessLogger;
}

const maxBodyBytes = 131_072;

export function createAuthPolicy(parts: AuthPolicyParts): AuthPolicyRouteDeps {
  const { audit, bus, engineWatch, settings, live, names, limits, metrics, processLogger } = parts;
  const { callerAddress } = parts.addresses;
  const renderer = createPolicyRenderer(names);
  const log = createPolicyLog(processLogger);
  const engine = createAskEngine({
    bus: watchedBus({ bus, watch: engineWatch, clock: steadyClock }),
    clock: steadyClock,
    timeoutMs: () => live.current.decisionTimeoutMs,
  });
  const answerTo = (request: FastifyRequest): AnswerCommand =>
    createAnswerCommand({
      engine,
      renderer,
      log,
      caller: request.callerName ?? undefined,
      engines: () => engineWatch.engines(),
      resetDone: (target, outcome) =>
        audit.record({
          event: "brute_force.flush",
          outcome,
          actor: request.callerName ?? request.callerMethod,
          method: request.callerMethod,
          clientIp: callerAddress(request),
          target,
          session: request.id,
        }),
    });
  return {
    answerTo,
    renderer,
    log,
    metrics,
    gate: limits.gate,
    callerAddress,
    reportUnreadable: (session, value) =>
      parts.reportIgnoredAddress({ session, dialect: "auth_policy", reason: "unreadable", value }),
    readBody: createReadBody(settings.decompression),
    maxBodyBytes: Math.min(settings.maxBodyBytes, maxBodyBytes),
  };
}
