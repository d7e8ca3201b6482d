import { randomUUID } from "node:crypto";
import { type Base, historyWriterFromConfig, keyRingFromConfig } from "@postern/shared/assembly";
import type { Audit } from "@postern/shared/domain/audit";
import { createEnrolments } from "@postern/shared/domain/enrolments";
import { createRiskNames, createRiskReviews, createRiskStore, riskSettings } from "@postern/shared/domain/risk";
import type { Bus } from "@postern/shared/platform/bus";
import { createResponseDelays } from "@postern/shared/platform/concurrency";
import type { Config } from "@postern/shared/platform/config";
import type { KeyRing } from "@postern/shared/platform/crypto";
import type { RedisClient } from "@postern/shared/platform/redis";
import { type Clock, systemClock } from "@postern/shared/platform/time";
import { createFlowGate } from "../flow/flow-gate.ts";
import { createFlowStarter } from "../flow/flow-starter.ts";
import { createFlowStore } from "../flow/flow-store-redis.ts";
import { type FrontendSettings, frontendSettings } from "../frontend-settings.ts";
import { createCompleteSignIn, type FlowEnds } from "../login/complete-sign-in.ts";
import type { ConnectedApplications, ListDemands, MailSignIns } from "../login/connected-applications.ts";
import { createDelaySignIn } from "../login/delay-sign-in.ts";
import { createFailedSignIns } from "../login/failed-sign-ins-redis.ts";
import { createSignInHistory, type SignInHistory } from "../login/sign-in-history.ts";
import type { MailSetup } from "../mail-clients/mail-setup.ts";
import type { IdpMetrics } from "../metrics.ts";
import { createFactorProofs } from "../mfa/factor-proofs.ts";
import type { SuspiciousSignIns } from "../mfa/suspicious-sign-ins.ts";
import { totpTimes } from "../mfa/totp.ts";
import type { PagesDeps } from "../routes/pages/register.ts";
import type { BrowserSessionRecord } from "../sessions/browser-session-port.ts";
import { createSessionStore } from "../sessions/session-store-redis.ts";
import { createEngineCalls } from "./pages/engine-calls.ts";
import { createFactorsFeature } from "./pages/factors.ts";
import { createSitePages } from "./pages/site-pages.ts";
import type { NotificationsContext } from "./user-notifications.ts";

/** All objects of the pages. */
export interface PagesContext extends PagesDeps {
  /** Answers all delayed sign-ins immediately. */
  readonly letGo: () => void;
  /** Resolves when every pending user notification and record of the decision history is stored or lost. */
  readonly close: () => Promise<void>;
}

/** What the pages need from the protocols. */
export interface ProtocolParts {
  readonly ends: FlowEnds;
  readonly onReplaced: (session: BrowserSessionRecord) => Promise<void>;
  readonly onSignedIn: (session: BrowserSessionRecord) => Promise<void>;
  readonly applications: ConnectedApplications | undefined;
  readonly mailSignIns: MailSignIns | undefined;
  readonly demanders: readonly ListDemands[];
}

export interface PagesParts {
  readonly config: Config;
  readonly base: Base;
  readonly bus: Bus;
  readonly state: RedisClient;
  /** The clock of Redis, for the times of what replicas share. */
  readonly sharedClock: Clock;
  readonly protocols: ProtocolParts;
  readonly metrics: IdpMetrics;
  readonly notifications: NotificationsContext | undefined;
  readonly mailSetup: MailSetup | undefined;
}

/** The settings that the pages use unchanged. */
function pageSettings({ pages, explainsNetworkBlock, totpSkew, lives }: FrontendSettings, { runtime }: Config) {
  return {
    origin: new URL(pages.issuer).origin,
    explainsNetworkBlock,
    totpSkew,
    rememberMs: lives.rememberMs,
    decisionTimeoutMs: () => runtime.timeouts.decision,
  };
}

/** A sign-in ends another user's session in the same browser. This writes the audit event. */
function auditReplaced(audit: Audit, onReplaced: ProtocolParts["onReplaced"]): ProtocolParts["onReplaced"] {
  return async (session) => {
    audit.record({ event: "session.end", outcome: "ok", target: session.account, reason: "replaced" });
    await onReplaced(session);
  };
}

/** Undefined while no history is recorded. */
function historyOf({ config, base, state, sharedClock }: PagesParts): SignInHistory | undefined {
  const write = historyWriterFromConfig(config, state, base.instance);
  const onLost = (count: number): void => base.logger.warn({ count }, "sign-ins are missing in the decision history");
  return write && createSignInHistory(write, () => sharedClock.now(), onLost);
}

/** Facts of engines, which the user's judgement changes, and what proves the user. */
function doubtsOf({ config, state, sharedClock: clock }: PagesParts) {
  const { auth, storage, runtime } = config;
  const { password_nonce: nonce, prefix: keyPrefix } = storage.redis;
  const settings = riskSettings(auth.risk);
  const names = createRiskNames(nonce);
  const store = createRiskStore(state, runtime.timeouts.decision);
  const reviews = createRiskReviews({ store, names, keyPrefix, settings: () => settings, clock });
  const knownAfterMinutes = (): number => settings.knownAfterMinutes;
  const suspiciousSignIns: SuspiciousSignIns = { ...reviews, knownAfterMinutes };
  const knownSince = async (account: string) => (await reviews.facts(account))?.sinceMinute;
  const enrolments = createEnrolments({ redis: state, keyPrefix, nonce, names, knownSince, knownAfterMinutes, clock });
  const proofs = createFactorProofs(enrolments, suspiciousSignIns, () => clock.now());
  return { suspiciousSignIns, proofs };
}

type Closing = { readonly close: () => Promise<void> } | undefined;

function closeBoth(one: Closing, other: Closing): () => Promise<void> {
  return async () => {
    await Promise.all([one?.close(), other?.close()]);
  };
}

/** Undefined while `identity.frontend.enabled` is off. */
export function createPagesContext(parts: PagesParts): PagesContext | undefined {
  const { config, base, bus, state, sharedClock: clock, metrics, notifications, mailSetup } = parts;
  const sessionKeys = keyRingFromConfig(config, "browser-session");
  const flowKeys = keyRingFromConfig(config, "flow");
  if (!config.identity.frontend.enabled || sessionKeys === undefined || flowKeys === undefined) return undefined;
  const settings = frontendSettings(config);
  const { prefix: keyPrefix } = config.storage.redis;
  const times = { nowMs: (): number => clock.now(), totpTimesMs: totpTimes(clock, systemClock) };
  const pages = createSitePages(settings);
  const sessions = createSessionStore({ redis: state, keyPrefix, keys: sessionKeys, clock, lives: settings.lives });
  const keysFor = (purpose: string): KeyRing => keyRingFromConfig(config, purpose) ?? flowKeys;
  const notifier = notifications?.notifier;
  const { logger, audit } = base;
  const doubts = doubtsOf(parts);
  const factorParts = { bus, state, keyPrefix, settings, ...times, logger, audit, notifier, ...doubts };
  const factors = createFactorsFeature({ ...factorParts, keys: keysFor("pending-proof") });
  const history = historyOf(parts);
  const responseDelays = createResponseDelays();
  const delaying = { responseDelays, maxWaiting: settings.maxHeld };
  const flows = createFlowStore(state, keyPrefix, flowKeys, clock);
  const gate = createFlowGate(flows);
  const { ends, onReplaced, onSignedIn, applications, mailSignIns, demanders } = parts.protocols;
  return {
    login: {
      pages,
      gate,
      sessions,
      starts: createFlowStarter(flows, pages.cookies, clock),
      ...createEngineCalls(bus, settings),
      failedSignIns: createFailedSignIns(state, keyPrefix, keysFor("failed-sign-in")),
      history,
      ...doubts,
      ...factors,
      mailSetup,
      applications,
      mailSignIns,
      demanders,
      onEnded: onReplaced,
      completeSignIn: createCompleteSignIn({
        sessions,
        gate,
        ends,
        onReplaced: auditReplaced(audit, onReplaced),
        onSignedIn,
        nowSeconds: () => Math.floor(times.nowMs() / 1000),
        subject: settings.subject,
      }),
      metrics,
      logger,
      audit,
      ...times,
      ...pageSettings(settings, config),
      delaySignIn: createDelaySignIn({ ...delaying, devices: notifications?.devices, logger }),
    },
    letGo: () => responseDelays.end(),
    close: closeBoth(notifications, history),
    identifier: config.runtime.naming.identifier,
    devUi: { enabled: config.runtime.developer_mode, version: randomUUID() },
  };
}
