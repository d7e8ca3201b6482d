import { historyWriterFromConfig, keyRingFromConfig } from "@postern/shared/assembly";
import { authenticate } from "@postern/shared/contracts";
import type { Audit } from "@postern/shared/domain/audit";
import { DecisionWatches } from "@postern/shared/domain/decision-watch";
import { createHistoryRecorder, type HistoryRecorder } from "@postern/shared/domain/history";
import type { LostPhoneCodes } from "@postern/shared/domain/lost-phone";
import type { Bus } from "@postern/shared/platform/bus";
import { createResponseDelays } from "@postern/shared/platform/concurrency";
import type { KeyRing } from "@postern/shared/platform/crypto";
import { steadyClock } from "@postern/shared/platform/time";
import type { FastifyReply } from "fastify";
import type { IdpMetrics } from "../metrics.ts";
import type { DeviceMemory } from "../remembered-devices/remembered-devices.ts";
import type { SecondFactors } from "../second-factors/context.ts";
import type { NotificationsContext } from "../user-notifications/context.ts";
import type { PageParts, VisitContext } from "../visit/context.ts";
import type { Admitted } from "../visit/flow-visit.ts";
import type { Visit } from "../visit/visit.ts";
import { type CompleteSignInDeps, createCompleteSignIn } from "./complete-sign-in.ts";
import { createDelaySignIn } from "./delay-sign-in.ts";
import { createFailedSignIns } from "./failed-sign-ins-redis.ts";
import { createEngineCalls } from "./password-check.ts";

/** What sign-ins need from the protocols. */
type SignInProtocols = Pick<CompleteSignInDeps, "ends" | "onReplaced" | "onSignedIn">;

/** A sign-in ends another user's session in the same browser. This writes the audit event. */
function auditReplaced(audit: Audit, onReplaced: SignInProtocols["onReplaced"]): SignInProtocols["onReplaced"] {
  return async (session) => {
    audit.record({ event: "session.end", outcome: "ok", target: session.account, reason: "replaced" });
    await onReplaced(session);
  };
}

/**
 * The part of the decision history that only the identity provider knows: second factors, and steps that no engine decided. Engines count the
 * decisions per minute; a second factor is not another sign-in. Undefined while no history is recorded.
 */
function historyOf({ config, base, state, sharedClock }: PageParts): HistoryRecorder | undefined {
  const write = historyWriterFromConfig(config, state, base.instance);
  const onLost = (count: number): void => base.logger.warn({ count }, "sign-ins are missing in the decision history");
  return (
    write &&
    createHistoryRecorder(
      (batch, nowMs) => write({ ...batch, traffic: [], failingNetworks: [] }, nowMs),
      () => sharedClock.now(),
      onLost,
    )
  );
}

interface SignInParts {
  /** Undefined unless the site offers it. */
  readonly lostPhone: LostPhoneCodes | undefined;
  readonly visits: VisitContext;
  readonly secondFactors: SecondFactors;
  readonly deviceMemory: DeviceMemory;
  readonly notifications: NotificationsContext | undefined;
  readonly metrics: IdpMetrics;
  readonly protocols: SignInProtocols;
  readonly flowKeys: KeyRing;
}

/** Everything that the pages of a sign-in need. */
export function createSignIn(
  parts: PageParts & { readonly bus: Bus },
  { lostPhone, visits, secondFactors, deviceMemory, notifications, metrics, protocols, flowKeys }: SignInParts,
) {
  const { config, base, bus, state, suspensions } = parts;
  const { identity, auth, storage } = config;
  const { sessions, gate, nowMs } = visits;
  const responseDelays = createResponseDelays();
  return {
    ...visits,
    ...secondFactors,
    deviceMemory,
    ...createEngineCalls(
      (request, context) => bus.request(authenticate, request, context),
      !identity.oidc.issuer.startsWith("http://"),
    ),
    failedSignIns: createFailedSignIns(
      state,
      storage.redis.prefix,
      keyRingFromConfig(config, "failed-sign-in") ?? flowKeys,
    ),
    lostPhone,
    history: historyOf(parts),
    watches: new DecisionWatches(bus, base, steadyClock),
    suspensions,
    /** Undefined: users are not notified of new devices. */
    notifier: notifications?.notifier,
    metrics,
    /** Whether a page tells users that their network is banned; otherwise they get the page for a wrong password. */
    explainsNetworkBlock: identity.frontend.explain_network_block,
    /** Lifetime of a remembered session; 0: not offered. */
    rememberMs: identity.session.remember_me_ttl,
    completeSignIn: createCompleteSignIn({
      sessions,
      gate,
      ...protocols,
      onReplaced: auditReplaced(base.audit, protocols.onReplaced),
      isSuspended: async (account) => (await suspensions.read(account)) !== undefined,
      nowSeconds: () => Math.floor(nowMs() / 1000),
      subject: identity.subject,
    }),
    delaySignIn: createDelaySignIn(
      responseDelays,
      notifications?.devices,
      auth.controls.brute_force.account_delay.max_waiting,
      base.logger,
    ),
    /** Answers all delayed sign-ins immediately. */
    letGo: (): void => responseDelays.end(),
  };
}

export type SignInContext = ReturnType<typeof createSignIn>;

/** Handles a visit to a flow in one of the states that the route admits. */
export type FlowHandler = (deps: SignInContext, visit: Visit, admitted: Admitted) => Promise<FastifyReply>;
