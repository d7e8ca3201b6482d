import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "@postern/shared/time";
import type { BrowserSessionRecord } from "../../sessions/browser-session-port.ts";
import type { SessionStore } from "../../sessions/session-store.ts";
import { checkHead } from "../inbound/check-message.ts";
import { readLogoutRequest } from "../inbound/logout-messages.ts";
import type { ReadMessage } from "../inbound/read-message.ts";
import type { Provider } from "../providers.ts";
import { SamlRefusal } from "../refusal.ts";
import type { ReplayGuard } from "../sso/pending-requests.ts";
import type { JourneyEnd, JourneyService, Journeys } from "./journey.ts";
import { matchSessions } from "./match-sessions.ts";
import type { Participant, Participants } from "./participants.ts";
import { noticesOf, type PlanDeps, planJourney, servicesOf } from "./plan-journey.ts";
import type { ReportTelling } from "./report-telling.ts";
import type { Binding } from "./respond.ts";
import type { SoapDelivery } from "./soap-delivery.ts";

export interface LogoutDeps extends PlanDeps {
  readonly replay: ReplayGuard;
  readonly participants: Participants;
  readonly journeys: Journeys;
  readonly soap: Pick<SoapDelivery, "enqueue" | "tellNow">;
  readonly sessions: Pick<SessionStore, "end">;
  /** The session has ended: what other protocols gave out for it ends too. */
  readonly onEnded: (session: BrowserSessionRecord) => Promise<void>;
  readonly report: ReportTelling;
  readonly clock: Clock;
}

/** A logout that a service provider asked for: its end says how it is answered. */
export interface AskedLogout {
  readonly end: Extract<JourneyEnd, { to: "provider" }>;
  /** Absent: nobody else had to be told, or nobody knew the session. */
  readonly journeyId: string | undefined;
  readonly isKnown: boolean;
}

export interface Logout {
  /** A LogoutRequest of a service provider ends sessions. @throws SamlRefusal */
  accept(
    read: ReadMessage<Provider>,
    context: { readonly binding: Binding; readonly session: BrowserSessionRecord | undefined },
  ): Promise<AskedLogout>;
  /** Ends the session of a browser that goes to `place` then. @returns the journey on its way, where there is one */
  leave(session: BrowserSessionRecord, place: string): Promise<string | undefined>;
  /** A session has ended without its browser: who hears by SOAP is told, for the others it is noted that they are not. */
  sessionEnded(session: Pick<BrowserSessionRecord, "uid">): Promise<void>;
}

/** Service providers that answer within it need no page that waits. */
const quickMs = 800;

type Opened = { readonly journeyId: string; readonly attempted: Promise<void> } | undefined;

const sameAs = (one: Participant) => (other: Participant) =>
  one.entityId === other.entityId && one.sessionIndex === other.sessionIndex;

export function createLogout(deps: LogoutDeps): Logout {
  const { replay, participants, journeys, soap, sessions, onEnded, report, clock } = deps;

  const noteUntold = (services: readonly JourneyService[]): void => {
    for (const { entityId } of services.filter(({ channel }) => channel === "none")) {
      report({ channel: "none", result: "not_told", entityId });
    }
  };
  const tellWithoutBrowser = async (listed: readonly Participant[]): Promise<void> => {
    const services = servicesOf(deps, listed, false);
    await soap.enqueue(noticesOf(services, clock.now()));
    noteUntold(services);
  };
  /** First everything that is to be done is kept, then the session ends: what fails in between can be repeated. */
  const open = async (listed: readonly Participant[], end: JourneyEnd): Promise<Opened> => {
    if (listed.length === 0) return undefined;
    const nowMs = clock.now();
    const journey = planJourney(deps, listed, { end, nowMs });
    const journeyId = await journeys.save(journey);
    const { attempted } = await soap.tellNow(noticesOf(journey.services, nowMs, journeyId));
    noteUntold(journey.services);
    return { journeyId, attempted };
  };
  const endSession = async (uid: string, told: readonly Participant[]): Promise<void> => {
    const ended = await sessions.end(uid);
    if (ended !== undefined) await onEnded(ended);
    // Who signed in to meanwhile is told too.
    const late = (await participants.takeAll(uid)).filter((one) => !told.some(sameAs(one)));
    await tellWithoutBrowser(late);
  };
  const run = async (
    uids: readonly string[],
    end: JourneyEnd,
    isOther: (participant: Participant) => boolean,
  ): Promise<string | undefined> => {
    const all = (await Promise.all(uids.map((uid) => participants.all(uid)))).flat();
    const opened = await open(all.filter(isOther), end);
    await Promise.all(uids.map((uid) => endSession(uid, all)));
    if (opened !== undefined) await Promise.race([opened.attempted, delay(quickMs, undefined, { ref: false })]);
    return opened?.journeyId;
  };

  return {
    accept: async ({ root, sender: { entityId }, isSigned, relayState }, { binding, session }) => {
      const nowMs = clock.now();
      const head = checkHead(root, { destination: deps.settings().addresses.slo, nowMs, isSigned });
      const request = readLogoutRequest(root, head, nowMs);
      if (!(await replay.isFirst(entityId, head.id))) throw new SamlRefusal("replayed", "came before");
      const uids = await matchSessions(participants, request, { entityId, current: session });
      const state = relayState === undefined ? {} : { relayState };
      const end = { to: "provider", entityId, inResponseTo: head.id, binding, ...state } as const;
      const journeyId = await run(uids, end, (participant) => participant.entityId !== entityId);
      return { end, journeyId, isKnown: uids.length > 0 };
    },
    leave: ({ uid }, place) => run([uid], { to: "place", place }, () => true),
    sessionEnded: async ({ uid }) => tellWithoutBrowser(await participants.takeAll(uid)),
  };
}
