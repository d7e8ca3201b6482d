import { endsWithin } from "@postern/shared/platform/concurrency";
import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import type { SessionStore } from "../../sessions/session-store-redis.ts";
import { sameEntity } from "../protocol/names.ts";
import { SamlRefusal } from "../protocol/refusal.ts";
import type { Provider } from "../providers.ts";
import type { SamlCore } from "../saml-core.ts";
import type { Channel } from "../saml-metrics.ts";
import type { Participant, Participants } from "../state/participants-redis.ts";
import { checkHead } from "../xml/check-head.ts";
import { readLogoutRequest } from "../xml/logout-xml.ts";
import type { ReadMessage } from "../xml/verify-message.ts";
import type { BrowserBinding } from "./logout-endpoints.ts";
import type {
  LogoutTransaction,
  LogoutTransactionEnd,
  LogoutTransactionService,
  LogoutTransactions,
  NamedLogout,
} from "./logout-transactions-redis.ts";
import type { DeliveryReporter } from "./report-delivery.ts";
import type { SoapDelivery } from "./soap-delivery.ts";
import type { SoapLogout } from "./soap-logouts-redis.ts";

export type PlanDeps = Pick<SamlCore, "settings" | "providers">;

/** Time for the page to load and the last response to arrive. */
const marginMs = 1000;

function channelOf({ settings, providers }: PlanDeps, entityId: string, hasBrowser: boolean): Channel {
  const { front_channel_enabled: front, back_channel_enabled: back } = settings().saml.slo;
  // Deliveries over SOAP are retried: metadata that is missing now may be loaded before the last attempt.
  if (back && providers().hasSoapLogout(entityId)) return "soap";
  return hasBrowser && front && providers().find(entityId)?.logout.request !== undefined ? "browser" : "none";
}

const nameOf = ({ entityId, sessionIndex }: Participant): string => `${entityId} ${sessionIndex}`;

/**
 * In the order of the configuration, because a hash in Redis has none. Service providers that are no longer configured
 * come last.
 */
function inOrder({ settings }: PlanDeps, participants: readonly Participant[]): readonly Participant[] {
  const configured = settings().saml.service_providers.map(({ entity_id: entityId }) => sameEntity(entityId));
  const places = new Map(configured.map((entityId, place) => [entityId, place]));
  const placeOf = ({ entityId }: Participant): number => places.get(sameEntity(entityId)) ?? places.size;
  return participants.toSorted((a, b) => placeOf(a) - placeOf(b) || (nameOf(a) < nameOf(b) ? -1 : 1));
}

/**
 * How each is notified, in the order of the configuration, at most `max_participants`. SOAP is preferred, because it needs
 * neither the browser nor its cookies.
 */
export function servicesOf(
  deps: PlanDeps,
  participants: readonly Participant[],
  hasBrowser: boolean,
): readonly LogoutTransactionService[] {
  const limit = deps.settings().saml.slo.max_participants;
  return inOrder(deps, participants).map((participant, place) => ({
    ...participant,
    channel: place < limit ? channelOf(deps, participant.entityId, hasBrowser) : "none",
  }));
}

function planLogoutTransaction(
  deps: PlanDeps,
  participants: readonly Participant[],
  { end, nowMs }: { readonly end: LogoutTransactionEnd; readonly nowMs: number },
): LogoutTransaction {
  const waitMs = deps.settings().saml.slo.request_timeout + marginMs;
  return { deadlineMs: nowMs + waitMs, services: servicesOf(deps, participants, true), end };
}

/** The deliveries over SOAP; with `transactionId`, a page waits for them. */
function deliveriesOf(
  services: readonly LogoutTransactionService[],
  endedMs: number,
  transactionId?: string,
): readonly SoapLogout[] {
  return services.flatMap(({ channel, entityId, nameId, sessionIndex }, index) => {
    if (channel !== "soap") return [];
    const transaction = transactionId === undefined ? {} : { journey: { id: transactionId, index } };
    return [{ entityId, nameId, sessionIndex, endedMs, ...transaction }];
  });
}

/** The sessions that a request names: only sessions of this service provider with exactly this name ID. */
export async function matchSessions(
  participants: Pick<Participants, "find" | "sessionOf">,
  { nameId, sessionIndexes }: Pick<NamedLogout, "nameId" | "sessionIndexes">,
  { entityId, current }: { readonly entityId: string; readonly current: BrowserSessionRecord | undefined },
): Promise<readonly string[]> {
  const named = await Promise.all(sessionIndexes.map((index) => participants.sessionOf(entityId, index)));
  const candidates = sessionIndexes.length > 0 ? named : [current?.uid];
  const checked = await Promise.all(
    candidates.map(async (uid) => {
      const participant = uid === undefined ? undefined : await participants.find(uid, entityId);
      const isNamed = sessionIndexes.length === 0 || sessionIndexes.includes(participant?.sessionIndex ?? "");
      return uid !== undefined && isNamed && participant?.nameId.value === nameId ? [uid] : [];
    }),
  );
  return [...new Set(checked.flat())];
}

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
