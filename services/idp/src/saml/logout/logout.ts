import { endsWithin } from "@postern/shared/platform/concurrency";
import type { Clock } from "@postern/shared/platform/time";
import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import type { SessionStore } from "../../sessions/session-store-redis.ts";
import { SamlRefusal } from "../protocol/refusal.ts";
import type { Provider } from "../providers.ts";
import type { Participant, Participants } from "../state/participants-redis.ts";
import type { ReplayGuard } from "../state/replay-guard-redis.ts";
import { checkHead } from "../xml/check-message.ts";
import { type LogoutRequest, readLogoutRequest } from "../xml/logout-messages.ts";
import type { ReadMessage } from "../xml/read-message.ts";
import type { BrowserBinding } from "./logout-endpoints.ts";
import type { LogoutTransactionEnd, LogoutTransactionService, LogoutTransactions } from "./logout-transaction.ts";
import { matchSessions } from "./match-sessions.ts";
import { deliveriesOf, type PlanDeps, planLogoutTransaction, servicesOf } from "./plan-logout-transaction.ts";
import type { DeliveryReporter } from "./report-delivery.ts";
import type { SoapDelivery } from "./soap-delivery.ts";

export interface LogoutDeps extends PlanDeps {
  readonly replay: ReplayGuard;
  readonly participants: Participants;
  readonly transactions: LogoutTransactions;
  readonly soap: Pick<SoapDelivery, "enqueue" | "deliverNow">;
  readonly sessions: Pick<SessionStore, "end">;
  /** The session has ended: also ends what other protocols issued for it. */
  readonly onEnded: (session: BrowserSessionRecord) => Promise<void>;
  readonly report: DeliveryReporter;
  readonly clock: Clock;
  /** The clock that all replicas share, for stored times. */
  readonly sharedClock: Clock;
}

type EndAtProvider = Extract<LogoutTransactionEnd, { to: "provider" }>;

/** A verified LogoutRequest of a service provider; its end says how to respond. */
export interface NamedLogout extends Pick<LogoutRequest, "nameId" | "sessionIndexes"> {
  readonly end: EndAtProvider;
}

/** A logout that a service provider requested; its end says how to respond. */
export interface RequestedLogout {
  readonly end: EndAtProvider;
  /** Absent if no other service provider had to be notified, or the session is unknown. */
  readonly transactionId: string | undefined;
  readonly isKnown: boolean;
}

export interface Logout {
  /** Verifies a LogoutRequest that was not received before. @throws SamlRefusal */
  receive(read: ReadMessage<Provider>, binding: BrowserBinding): Promise<NamedLogout>;
  /** Ends the sessions that the request names: by their indexes or, without any, the session of the browser. */
  accept(logout: NamedLogout, session: BrowserSessionRecord | undefined): Promise<RequestedLogout>;
  /**
   * Ends the session of a browser that is then redirected to `place`. @returns the id of the logout transaction, if any
   */
  leave(session: BrowserSessionRecord, place: string, headStartMs?: number): Promise<string | undefined>;
  /**
   * A session has ended without its browser: notifies service providers over SOAP and reports the others as not notified.
   */
  sessionEnded(session: Pick<BrowserSessionRecord, "uid">): Promise<void>;
}

/** If all service providers answer within this time, no waiting page is shown. */
const quickMs = 800;

type Opened = { readonly transactionId: string; readonly attempted: Promise<void> } | undefined;

const sameAs = (one: Participant) => (other: Participant) =>
  one.entityId === other.entityId && one.sessionIndex === other.sessionIndex;

function createReceive({ replay, settings, clock }: LogoutDeps): Logout["receive"] {
  return async ({ root, sender: { entityId }, isSigned, relayState }, binding) => {
    const nowMs = clock.now();
    const head = checkHead(root, { destination: settings().addresses.slo, nowMs, isSigned });
    const request = readLogoutRequest(root, head, nowMs);
    if (!(await replay.isFirst(entityId, head.id))) {
      throw new SamlRefusal("replayed", "the message was received before");
    }
    const state = relayState === undefined ? {} : { relayState };
    const end = { to: "provider", entityId, inResponseTo: head.id, binding, ...state } as const;
    return { end, nameId: request.nameId, sessionIndexes: request.sessionIndexes };
  };
}

export function createLogout(deps: LogoutDeps): Logout {
  const { participants, transactions, soap, sessions, onEnded, report, sharedClock } = deps;

  const reportSkipped = (services: readonly LogoutTransactionService[]): void => {
    for (const { entityId } of services.filter(({ channel }) => channel === "none")) {
      report({ channel: "none", result: "not_told", entityId });
    }
  };
  const notifyWithoutBrowser = async (listed: readonly Participant[]): Promise<void> => {
    const services = servicesOf(deps, listed, false);
    await soap.enqueue(deliveriesOf(services, sharedClock.now()));
    reportSkipped(services);
  };
  /** Stores what must be done before it ends the session, so that a failure in between can be repeated. */
  const open = async (listed: readonly Participant[], end: LogoutTransactionEnd, leadMs: number): Promise<Opened> => {
    if (listed.length === 0) return undefined;
    const nowMs = sharedClock.now();
    const transaction = planLogoutTransaction(deps, listed, { end, nowMs: nowMs + leadMs });
    const transactionId = await transactions.save(transaction);
    const { attempted } = await soap.deliverNow(deliveriesOf(transaction.services, nowMs, transactionId));
    reportSkipped(transaction.services);
    return { transactionId, attempted };
  };
  const endSession = async (uid: string, notified: readonly Participant[]): Promise<void> => {
    const ended = await sessions.end(uid);
    if (ended !== undefined) await onEnded(ended);
    // Also notifies service providers that were signed in to in the meantime.
    const late = (await participants.takeAll(uid)).filter((one) => !notified.some(sameAs(one)));
    await notifyWithoutBrowser(late);
  };
  const run = async (
    uids: readonly string[],
    end: LogoutTransactionEnd,
    isOther: (participant: Participant) => boolean,
    headStartMs = 0,
  ): Promise<string | undefined> => {
    const all = (await Promise.all(uids.map((uid) => participants.all(uid)))).flat();
    const opened = await open(all.filter(isOther), end, headStartMs);
    await Promise.all(uids.map((uid) => endSession(uid, all)));
    if (opened !== undefined) await endsWithin(opened.attempted, quickMs, { ref: false });
    return opened?.transactionId;
  };

  return {
    receive: createReceive(deps),
    accept: async ({ end, ...request }, session) => {
      const { entityId } = end;
      const uids = await matchSessions(participants, request, { entityId, current: session });
      const transactionId = await run(uids, end, (participant) => participant.entityId !== entityId);
      return { end, transactionId, isKnown: uids.length > 0 };
    },
    leave: ({ uid }, place, headStartMs) => run([uid], { to: "place", place }, () => true, headStartMs),
    sessionEnded: async ({ uid }) => notifyWithoutBrowser(await participants.takeAll(uid)),
  };
}
