import type { Participant } from "./participants.ts";
import type { Binding } from "./respond.ts";

/** How a service provider is told: by SOAP, through the browser, or not at all. */
export const channels = ["soap", "browser", "none"] as const;
export type Channel = (typeof channels)[number];

export interface JourneyService extends Participant {
  readonly channel: Channel;
}

/** Where the browser goes when everybody was told, or the time is up. */
export type JourneyEnd =
  | { readonly to: "place"; readonly place: string }
  /** To the service provider that began, with its answer. */
  | {
      readonly to: "provider";
      readonly entityId: string;
      readonly inResponseTo: string;
      readonly relayState?: string;
      readonly binding: Binding;
    };

/** A logout whose service providers are told while the browser waits. */
export interface Journey {
  /** Milliseconds since the epoch: nobody waits longer. */
  readonly deadlineMs: number;
  readonly services: readonly JourneyService[];
  readonly end: JourneyEnd;
}

export type ServiceResult = "done" | "refused";

/** `later`: did not answer and is told again; `not_told`: there is no way to tell it. */
export const serviceStates = ["asking", "done", "refused", "no_answer", "later", "not_told"] as const;
export type ServiceState = (typeof serviceStates)[number];

/** The page of a logout under way. */
export function journeyPath(id: string, more: Readonly<Record<string, string>> = {}): string {
  return `/saml/slo?${new URLSearchParams({ logout: id, ...more }).toString()}`;
}

export interface JourneyNow {
  readonly journey: Journey;
  /** By place in the journey. */
  readonly results: ReadonlyMap<number, ServiceResult>;
}

function stateOf({ channel }: JourneyService, result: ServiceResult | undefined, isLate: boolean): ServiceState {
  if (result !== undefined) return result;
  if (channel === "none") return "not_told";
  if (!isLate) return "asking";
  return channel === "soap" ? "later" : "no_answer";
}

export function statesOf({ journey, results }: JourneyNow, nowMs: number): readonly ServiceState[] {
  const isLate = nowMs >= journey.deadlineMs;
  return journey.services.map((service, index) => stateOf(service, results.get(index), isLate));
}

/** A logout request of ours that is under way in a browser. */
export interface Asked {
  readonly journeyId: string;
  /** The service's place in the journey. */
  readonly index: number;
  readonly entityId: string;
  /** In a frame of the page that waits; else it is the page. */
  readonly isFramed: boolean;
}

/** All of them. Everything throws AppError `REDIS_UNAVAILABLE` when nobody could decide. */
export interface Journeys {
  /** @returns its id, which is a secret of the browser */
  save(journey: Journey): Promise<string>;
  find(id: string): Promise<JourneyNow | undefined>;
  /** What the service has said; that it is done counts more than what it said before. */
  note(id: string, index: number, result: ServiceResult): Promise<void>;
  /** The first to see the end of the journey is told so. */
  isFirstAtEnd(id: string): Promise<boolean>;
  /** A request goes out. @returns false when the service was asked too often or the journey is over */
  ask(requestId: string, asked: Asked): Promise<boolean>;
  /** The request that the sender's answer is about: each is answered once. */
  takeAsked(requestId: string, entityId: string): Promise<Asked | undefined>;
}
