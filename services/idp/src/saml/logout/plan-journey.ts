import type { Providers } from "../providers.ts";
import { sameEntity } from "../same-entity.ts";
import type { SamlSettings } from "../saml-settings.ts";
import type { Channel, Journey, JourneyEnd, JourneyService } from "./journey.ts";
import type { Participant } from "./participants.ts";
import type { SoapNotice } from "./soap-notices.ts";

export interface PlanDeps {
  readonly settings: () => SamlSettings;
  readonly providers: () => Providers;
}

/** For the page to load and the last answer to arrive. */
const marginMs = 1000;

function channelOf({ settings, providers }: PlanDeps, entityId: string, hasBrowser: boolean): Channel {
  const { front_channel_enabled: front, back_channel_enabled: back } = settings().saml.slo;
  const config = providers().find(entityId)?.config;
  if (back && (config?.slo_back_channel_url ?? "") !== "") return "soap";
  return hasBrowser && front && (config?.slo_url ?? "") !== "" ? "browser" : "none";
}

const nameOf = ({ entityId, sessionIndex }: Participant): string => `${entityId} ${sessionIndex}`;

/** In the order of the configuration: Redis gives the fields of a hash in none. Who is no longer configured comes last. */
function inOrder({ settings }: PlanDeps, participants: readonly Participant[]): readonly Participant[] {
  const configured = settings().saml.service_providers.map(({ entity_id: entityId }) => sameEntity(entityId));
  const places = new Map(configured.map((entityId, place) => [entityId, place]));
  const placeOf = ({ entityId }: Participant): number => places.get(sameEntity(entityId)) ?? places.size;
  return participants.toSorted((a, b) => placeOf(a) - placeOf(b) || (nameOf(a) < nameOf(b) ? -1 : 1));
}

/**
 * How each is told, in the order of the configuration, the first `max_participants` alone. SOAP first: it needs neither
 * the browser nor its cookies.
 */
export function servicesOf(
  deps: PlanDeps,
  participants: readonly Participant[],
  hasBrowser: boolean,
): readonly JourneyService[] {
  const limit = deps.settings().saml.slo.max_participants;
  return inOrder(deps, participants).map((participant, place) => ({
    ...participant,
    channel: place < limit ? channelOf(deps, participant.entityId, hasBrowser) : "none",
  }));
}

export function planJourney(
  deps: PlanDeps,
  participants: readonly Participant[],
  { end, nowMs }: { readonly end: JourneyEnd; readonly nowMs: number },
): Journey {
  const waitMs = deps.settings().saml.slo.request_timeout + marginMs;
  return { deadlineMs: nowMs + waitMs, services: servicesOf(deps, participants, true), end };
}

/** For those who hear by SOAP; `journeyId`: a page waits for them. */
export function noticesOf(
  services: readonly JourneyService[],
  endedMs: number,
  journeyId?: string,
): readonly SoapNotice[] {
  return services.flatMap(({ channel, entityId, nameId, sessionIndex }, index) => {
    if (channel !== "soap") return [];
    const journey = journeyId === undefined ? {} : { journey: { id: journeyId, index } };
    return [{ entityId, nameId, sessionIndex, endedMs, ...journey }];
  });
}
