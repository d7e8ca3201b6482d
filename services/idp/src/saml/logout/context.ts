import type { Base } from "@postern/shared/assembly";
import type { RedisClient } from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import type { ClientUses } from "../../applications/client-uses.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import type { SessionStore } from "../../sessions/session-store-redis.ts";
import type { SamlRoutesDeps } from "../saml-visit.ts";
import type { SamlRedisDeps } from "../state/saml-redis.ts";
import { createBackChannel } from "./back-channel.ts";
import { createEndLogoutTransaction } from "./end-logout-transaction.ts";
import { createFrontChannel } from "./front-channel.ts";
import { createLogout, type Logout, type LogoutDeps } from "./logout.ts";
import { logoutTransactionPath } from "./logout-transaction.ts";
import { createLogoutTransactions } from "./logout-transactions-redis.ts";
import { createDeliveryReporter } from "./report-delivery.ts";
import { createSoapDelivery, type SoapDelivery } from "./soap-delivery.ts";
import { createSoapLogouts } from "./soap-logouts-redis.ts";
import { createWaitingLogouts } from "./waiting-logouts-redis.ts";

export interface SamlParts {
  readonly base: Base;
  readonly state: RedisClient;
  /** The clock of Redis, for the times of what replicas share. */
  readonly sharedClock: Clock;
  readonly sessions: SessionStore;
  /** Notes which service providers are used. */
  readonly clientUses: Pick<ClientUses, "note">;
  /** Ends the tokens that other protocols issued for the session. */
  readonly onEnded: (session: BrowserSessionRecord) => Promise<void>;
}

type Shared = Pick<SamlRoutesDeps, "settings" | "providers" | "keys" | "clock" | "sharedClock" | "metrics"> &
  Pick<LogoutDeps, "replay" | "participants">;

export interface SamlLogoutContext {
  readonly routes: Pick<
    SamlRoutesDeps,
    "logout" | "waitingLogouts" | "frontChannel" | "endLogoutTransaction" | "metrics" | "logger" | "audit"
  >;
  /** Delivers logout messages over SOAP. */
  readonly delivery: SoapDelivery;
  readonly sessionEnded: Logout["sessionEnded"];
  /** Ends the session of a browser that is then redirected to `place`. @returns its first redirect */
  leave(session: BrowserSessionRecord, place: string, headStartMs?: number): Promise<string>;
}

/** Single logout, started by service providers or here, through the browser and over SOAP. */
export function createSamlLogout(parts: SamlParts, stored: SamlRedisDeps, shared: Shared): SamlLogoutContext {
  const { base, sessions, onEnded } = parts;
  const { logger, audit } = base;
  const { settings, clock, metrics } = shared;
  const transactions = createLogoutTransactions(stored);
  const backChannel = createBackChannel({
    clock,
    issuer: () => settings().entityId,
    timeoutMs: () => settings().saml.slo.request_timeout,
    retries: () => settings().saml.slo.back_channel_max_retries,
    onRefused: (client, { reason, message: detail }) =>
      logger.warn({ client, reason, detail }, "service provider's logout response rejected"),
  });
  const commonDeps = { ...shared, transactions, logger, report: createDeliveryReporter(metrics, logger, audit) };
  const delivery = createSoapDelivery({
    ...commonDeps,
    deliveries: createSoapLogouts(stored),
    send: backChannel,
    isReady: () => stored.redis.status === "ready",
  });
  const logout = createLogout({ ...commonDeps, soap: delivery, sessions, onEnded });
  const endLogoutTransaction = createEndLogoutTransaction(commonDeps);
  return {
    routes: {
      logout,
      waitingLogouts: createWaitingLogouts(stored),
      frontChannel: createFrontChannel(commonDeps),
      endLogoutTransaction,
      metrics,
      logger,
      audit,
    },
    delivery,
    sessionEnded: (session) => logout.sessionEnded(session),
    leave: async (session, place, headStartMs) => {
      const id = await logout.leave(session, place, headStartMs);
      const view = id === undefined ? undefined : await endLogoutTransaction.find(id);
      const isWhole = view === undefined || view.states.every((state) => state === "done");
      return id === undefined || isWhole ? place : logoutTransactionPath(id);
    },
  };
}
