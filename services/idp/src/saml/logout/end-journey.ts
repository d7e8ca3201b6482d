import type { Logger } from "@postern/shared/logging";
import { statusCodes } from "../names.ts";
import type { Status } from "../outbound/response.ts";
import type { Providers } from "../providers.ts";
import type { SamlMetrics } from "../saml-metrics.ts";
import { type JourneyNow, type Journeys, type ServiceState, statesOf } from "./journey.ts";
import type { AskedLogout } from "./logout.ts";
import type { ReportTelling } from "./report-telling.ts";
import { type LogoutStep, type RespondDeps, respond } from "./respond.ts";

export interface EndJourneyDeps extends RespondDeps {
  readonly providers: () => Providers;
  readonly journeys: Pick<Journeys, "find" | "isFirstAtEnd">;
  readonly metrics: Pick<SamlMetrics, "loggedOut">;
  readonly report: ReportTelling;
  readonly logger: Logger;
}

/** Where a logout stands. */
export type JourneyView = JourneyNow & { readonly states: readonly ServiceState[] };

export interface EndJourney {
  find(id: string): Promise<JourneyView | undefined>;
  /** Nobody is waited for any more: said once in the log. */
  noteEnd(id: string, view: JourneyView): Promise<void>;
  /** The answer to the service provider that began. */
  answer(asked: AskedLogout, view: JourneyView | undefined): Promise<LogoutStep>;
}

function statusOf({ isKnown }: AskedLogout, view: JourneyView | undefined): Status {
  if (!isKnown) return { code: statusCodes.requester, detail: statusCodes.unknownPrincipal };
  const isWhole = view === undefined || view.states.every((state) => state === "done");
  return { code: statusCodes.success, detail: isWhole ? undefined : statusCodes.partialLogout };
}

export function createEndJourney(deps: EndJourneyDeps): EndJourney {
  const { providers, journeys, metrics, report, logger, clock } = deps;
  return {
    find: async (id) => {
      const now = await journeys.find(id);
      return now === undefined ? undefined : { ...now, states: statesOf(now, clock.now()) };
    },
    noteEnd: async (id, { journey, states }) => {
      if (!(await journeys.isFirstAtEnd(id))) return;
      for (const [index, { entityId, channel }] of journey.services.entries()) {
        const isSilent = channel === "browser" && (states[index] === "no_answer" || states[index] === "asking");
        if (isSilent) report({ channel, result: "no_answer", entityId });
      }
    },
    answer: async (asked, view) => {
      const { entityId, inResponseTo, relayState, binding } = asked.end;
      const provider = providers().find(entityId);
      if (provider === undefined) return { step: "done" };
      const status = statusOf(asked, view);
      metrics.loggedOut(status.code === statusCodes.success ? "success" : "failure");
      const told = status.detail ?? status.code;
      logger.info({ client: entityId, status: told }, "SAML logout answered");
      return respond(deps, provider, { inResponseTo, relayState, binding, status });
    },
  };
}
