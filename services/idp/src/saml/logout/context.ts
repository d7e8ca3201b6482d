import type { Base } from "@postern/shared/assembly";
import type { RedisClient } from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import type { ClientUses } from "../../applications/client-uses.ts";
import type { AccountDomains } from "../../domains/account-domains.ts";
import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import type { SessionStore } from "../../sessions/session-store-redis.ts";
import type { SamlCore } from "../saml-core.ts";
import type { SamlRedisDeps } from "../state/saml-redis.ts";
import { createBackChannel } from "./back-channel.ts";
import { createFrontChannel } from "./front-channel.ts";
import { createLogout } from "./logout.ts";
import { createEndLogoutTransaction, logoutTransactionPath } from "./logout-transaction.ts";
import { createLogoutTransactions, createWaitingLogouts } from "./logout-transactions-redis.ts";
import { createDeliveryReporter } from "./report-delivery.ts";
import { createSoapDelivery } from "./soap-delivery.ts";
import { createSoapLogouts } from "./soap-logouts-redis.ts";

export interface SamlParts {
  readonly base: Base;
  readonly state: RedisClient;
  /** The clock of Redis, for the times of what replicas share. */
  readonly sharedClock: Clock;
  readonly sessions: SessionStore;
  readonly domains: AccountDomains;
  readonly clientUses: Pick<ClientUses, "note">;
  /** Ends the tokens that other protocols issued for the session. */
  readonly onEnded: (session: BrowserSessionRecord) => Promise<void>;
}

/** Single logout, started by service providers or here, through the browser and over SOAP. */
export function createSamlLogout({ base, sessions, onEnded }: SamlParts, stored: SamlRedisDeps, core: SamlCore) {
  const { settings, clock, metrics, logger } = core;
  const transactions = createLogoutTransactions(stored);
  const report = createDeliveryReporter(metrics, logger, base.audit);
  const backChannel = createBackChannel({
    clock,
    issuer: () => settings().entityId,
    timeoutMs: () => settings().saml.slo.request_timeout,
    retries: () => settings().saml.slo.back_channel_max_retries,
    onRefused: (client, { reason, message: detail }) =>
      logger.warn({ client, reason, detail }, "service provider's logout response rejected"),
  });
  const delivery = createSoapDelivery({
    ...core,
    transactions,
    report,
    deliveries: createSoapLogouts(stored),
    send: backChannel,
    isReady: () => stored.redis.status === "ready",
  });
  const logout = createLogout({ ...core, transactions, report, soap: delivery, sessions, onEnded });
  const endLogoutTransaction = createEndLogoutTransaction(core, transactions, report);
  return {
    routes: {
      logout,
      waitingLogouts: createWaitingLogouts(stored),
      frontChannel: createFrontChannel(core, transactions, report),
      endLogoutTransaction,
      audit: base.audit,
    },
    delivery,
    sessionEnded: logout.sessionEnded,
    /** Ends the session of a browser that is then redirected to `place`. @returns its first redirect */
    leave: async (session: BrowserSessionRecord, place: string, headStartMs?: number): Promise<string> => {
      const id = await logout.leave(session, place, headStartMs);
      const view = id === undefined ? undefined : await endLogoutTransaction.find(id);
      const isWhole = view === undefined || view.states.every((state) => state === "done");
      return id === undefined || isWhole ? place : logoutTransactionPath(id);
    },
  };
}
