import { sameEntity } from "../protocol/identifiers.ts";
import type { SamlCore } from "../saml-core.ts";
import type { Channel } from "../saml-metrics.ts";
import type { Participant } from "../state/participants-redis.ts";
import type { LogoutTransaction, LogoutTransactionEnd, LogoutTransactionService } from "./logout-transactions-redis.ts";
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

export function planLogoutTransaction(
  deps: PlanDeps,
  participants: readonly Participant[],
  { end, nowMs }: { readonly end: LogoutTransactionEnd; readonly nowMs: number },
): LogoutTransaction {
  const waitMs = deps.settings().saml.slo.request_timeout + marginMs;
  return { deadlineMs: nowMs + waitMs, services: servicesOf(deps, participants, true), end };
}

/** The deliveries over SOAP; with `transactionId`, a page waits for them. */
export function deliveriesOf(
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
