import type { Base } from "@postern/shared/assembly";
import type { RedisClient } from "@postern/shared/redis";
import type { SamlRoutesDeps } from "../routes/saml/deps.ts";
import { createBackChannel } from "../saml/logout/back-channel.ts";
import { createEndJourney } from "../saml/logout/end-journey.ts";
import { createFrontChannel } from "../saml/logout/front-channel.ts";
import { journeyPath } from "../saml/logout/journey.ts";
import { createJourneys } from "../saml/logout/journeys-redis.ts";
import { createLogout, type Logout, type LogoutDeps } from "../saml/logout/logout.ts";
import { createReportTelling } from "../saml/logout/report-telling.ts";
import { createSoapDelivery, type SoapDelivery } from "../saml/logout/soap-delivery.ts";
import { createSoapNotices } from "../saml/logout/soap-notices-redis.ts";
import type { SamlRedisDeps } from "../saml/sso/pending-requests-redis.ts";
import type { BrowserSessionRecord } from "../sessions/browser-session-port.ts";
import type { SessionStore } from "../sessions/session-store.ts";

export interface SamlParts {
  readonly base: Base;
  readonly state: RedisClient;
  readonly sessions: SessionStore;
  /** What other protocols gave out for a session ends with it. */
  readonly onEnded: (session: BrowserSessionRecord) => Promise<void>;
}

type Shared = Pick<SamlRoutesDeps, "settings" | "providers" | "keys" | "clock" | "metrics"> &
  Pick<LogoutDeps, "replay" | "participants">;

export interface SamlLogoutContext {
  readonly routes: Pick<SamlRoutesDeps, "logout" | "frontChannel" | "endJourney" | "metrics" | "logger" | "audit">;
  /** Of SOAP notices. */
  readonly delivery: SoapDelivery;
  readonly sessionEnded: Logout["sessionEnded"];
  /** Ends the session of a browser that goes to `place` then. @returns where it goes first */
  leave(session: BrowserSessionRecord, place: string): Promise<string>;
}

/** Single logout: from service providers and from us, through the browser and by SOAP. */
export function createSamlLogout(parts: SamlParts, stored: SamlRedisDeps, shared: Shared): SamlLogoutContext {
  const { base, sessions, onEnded } = parts;
  const { logger, audit } = base;
  const { settings, clock, metrics } = shared;
  const journeys = createJourneys(stored);
  const tell = createBackChannel({
    clock,
    issuer: () => settings().entityId,
    timeoutMs: () => settings().saml.slo.request_timeout,
    retries: () => settings().saml.slo.back_channel_max_retries,
  });
  const told = { ...shared, journeys, logger, report: createReportTelling({ metrics, logger, audit }) };
  const delivery = createSoapDelivery({
    ...told,
    notices: createSoapNotices(stored),
    tell,
    isReady: () => stored.redis.status === "ready",
  });
  const logout = createLogout({ ...told, soap: delivery, sessions, onEnded });
  const endJourney = createEndJourney(told);
  return {
    routes: { logout, frontChannel: createFrontChannel(told), endJourney, metrics, logger, audit },
    delivery,
    sessionEnded: (session) => logout.sessionEnded(session),
    leave: async (session, place) => {
      const id = await logout.leave(session, place);
      const view = id === undefined ? undefined : await endJourney.find(id);
      const isWhole = view === undefined || view.states.every((state) => state === "done");
      return id === undefined || isWhole ? place : journeyPath(id);
    },
  };
}
