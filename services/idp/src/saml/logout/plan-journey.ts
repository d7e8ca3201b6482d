import type { Providers } from "../providers.ts";
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

/** How each is told, `max_participants` at most. SOAP first: it needs neither the browser nor its cookies. */
export function servicesOf(
  deps: PlanDeps,
  participants: readonly Participant[],
  hasBrowser: boolean,
): readonly JourneyService[] {
  const limit = deps.settings().saml.slo.max_participants;
  return participants.map((participant, place) => ({
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
