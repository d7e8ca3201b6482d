import { endsWithin } from "@postern/shared/platform/concurrency";
import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import type { SessionStore } from "../../sessions/session-store-redis.ts";
import { SamlRefusal } from "../protocol/refusal.ts";
import type { Provider } from "../providers.ts";
import type { SamlCore } from "../saml-core.ts";
import type { Participant } from "../state/participants-redis.ts";
import { checkHead } from "../xml/check-message.ts";
import { readLogoutRequest } from "../xml/logout-messages.ts";
import type { ReadMessage } from "../xml/read-message.ts";
import type { BrowserBinding } from "./logout-endpoints.ts";
import type {
  LogoutTransactionEnd,
  LogoutTransactionService,
  LogoutTransactions,
} from "./logout-transactions-redis.ts";
import { matchSessions } from "./match-sessions.ts";
import { deliveriesOf, planLogoutTransaction, servicesOf } from "./plan-logout-transaction.ts";
import type { DeliveryReporter } from "./report-delivery.ts";
import type { SoapDelivery } from "./soap-delivery.ts";
import type { NamedLogout } from "./waiting-logouts-redis.ts";

interface LogoutDeps extends SamlCore {
  readonly transactions: LogoutTransactions;
  readonly soap: SoapDelivery;
  readonly sessions: SessionStore;
  /** The session has ended: also ends what other protocols issued for it. */
  readonly onEnded: (session: BrowserSessionRecord) => Promise<void>;
  readonly report: DeliveryReporter;
}

/** A logout that a service provider requested; its end says how to respond. */
export interface RequestedLogout {
  readonly end: NamedLogout["end"];
  /** Absent if no other service provider had to be notified, or the session is unknown. */
  readonly transactionId: string | undefined;
  readonly isKnown: boolean;
}

/** If all service providers answer within this time, no waiting page is shown. */
const quickMs = 800;

type Opened = { readonly transactionId: string; readonly attempted: Promise<void> } | undefined;

const sameAs = (one: Participant) => (other: Participant) =>
  one.entityId === other.entityId && one.sessionIndex === other.sessionIndex;

function createReceive({ replay, settings, clock }: LogoutDeps) {
  return async (read: ReadMessage<Provider>, binding: BrowserBinding): Promise<NamedLogout> => {
    const { root, isSigned, relayState } = read;
    const { entityId } = read.sender;
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

function reportSkipped(services: readonly LogoutTransactionService[], report: DeliveryReporter): void {
  for (const { entityId } of services.filter(({ channel }) => channel === "none")) {
    report({ channel: "none", result: "not_told", entityId });
  }
}

export function createLogout(deps: LogoutDeps) {
  const { participants, transactions, soap, sessions, onEnded, report, sharedClock } = deps;
  const notifyWithoutBrowser = async (listed: readonly Participant[]): Promise<void> => {
    const services = servicesOf(deps, listed, false);
    await soap.enqueue(deliveriesOf(services, sharedClock.now()));
    reportSkipped(services, report);
  };
  /** Stores what must be done before it ends the session, so that a failure in between can be repeated. */
  const open = async (listed: readonly Participant[], end: LogoutTransactionEnd, leadMs: number): Promise<Opened> => {
    if (listed.length === 0) return undefined;
    const nowMs = sharedClock.now();
    const transaction = planLogoutTransaction(deps, listed, { end, nowMs: nowMs + leadMs });
    const transactionId = await transactions.save(transaction);
    const { attempted } = await soap.deliverNow(deliveriesOf(transaction.services, nowMs, transactionId));
    reportSkipped(transaction.services, report);
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
    /** Verifies a LogoutRequest that was not received before. @throws SamlRefusal */
    receive: createReceive(deps),
    /** Ends the sessions that the request names: by their indexes or, without any, the session of the browser. */
    accept: async (named: NamedLogout, session: BrowserSessionRecord | undefined): Promise<RequestedLogout> => {
      const { end } = named;
      const { entityId } = end;
      const uids = await matchSessions(participants, named, { entityId, current: session });
      const transactionId = await run(uids, end, (participant) => participant.entityId !== entityId);
      return { end, transactionId, isKnown: uids.length > 0 };
    },
    /** Ends the session of a browser that is then redirected to `place`. @returns the id of the logout transaction, if any */
    leave: ({ uid }: BrowserSessionRecord, place: string, headStartMs?: number): Promise<string | undefined> =>
      run([uid], { to: "place", place }, () => true, headStartMs),
    /** A session has ended without its browser: notifies service providers over SOAP and reports the others as not notified. */
    sessionEnded: async ({ uid }: BrowserSessionRecord): Promise<void> =>
      notifyWithoutBrowser(await participants.takeAll(uid)),
  };
}
