import type { Logger } from "@postern/shared/platform/logging";
import type { Clock } from "@postern/shared/platform/time";
import type { ServiceState } from "../../pages/templates/single-logout.ts";
import { statusCodes } from "../protocol/names.ts";
import type { Providers } from "../providers.ts";
import type { SamlMetrics } from "../saml-metrics.ts";
import type { Status } from "../xml/response.ts";
import type { RequestedLogout } from "./logout.ts";
import { type LogoutTransactionNow, type LogoutTransactions, statesOf } from "./logout-transaction.ts";
import type { DeliveryReporter } from "./report-delivery.ts";
import { type LogoutStep, type RespondDeps, respond } from "./respond.ts";

export interface EndLogoutTransactionDeps extends RespondDeps {
  readonly providers: () => Providers;
  readonly transactions: Pick<LogoutTransactions, "find" | "isFirstAtEnd">;
  readonly metrics: Pick<SamlMetrics, "loggedOut">;
  readonly report: DeliveryReporter;
  readonly logger: Logger;
  /** The clock that all replicas share, for stored times. */
  readonly sharedClock: Clock;
}

/** The state of a logout transaction. */
export type LogoutTransactionView = LogoutTransactionNow & { readonly states: readonly ServiceState[] };

function statusOf({ isKnown }: RequestedLogout, view: LogoutTransactionView | undefined): Status {
  if (!isKnown) return { code: statusCodes.requester, detail: statusCodes.unknownPrincipal };
  const isWhole = view === undefined || view.states.every((state) => state === "done");
  return { code: statusCodes.success, detail: isWhole ? undefined : statusCodes.partialLogout };
}

export function createEndLogoutTransaction(deps: EndLogoutTransactionDeps) {
  const { providers, transactions, metrics, report, logger, sharedClock } = deps;
  return {
    find: async (id: string): Promise<LogoutTransactionView | undefined> => {
      const now = await transactions.find(id);
      return now === undefined ? undefined : { ...now, states: statesOf(now, sharedClock.now()) };
    },
    /** Logs the end of the logout transaction, once. */
    noteEnd: async (id: string, { transaction, states }: LogoutTransactionView): Promise<void> => {
      if (!(await transactions.isFirstAtEnd(id))) return;
      for (const [index, { entityId, channel }] of transaction.services.entries()) {
        const isSilent = channel === "browser" && (states[index] === "no_answer" || states[index] === "asking");
        if (isSilent) report({ channel, result: "no_answer", entityId });
      }
    },
    /** The response to the service provider that started the logout. */
    answer: async (logout: RequestedLogout, view: LogoutTransactionView | undefined): Promise<LogoutStep> => {
      const { entityId, inResponseTo, relayState, binding } = logout.end;
      const provider = providers().find(entityId);
      if (provider === undefined) return { step: "done" };
      const status = statusOf(logout, view);
      metrics.loggedOut(status.code === statusCodes.success ? "success" : "failure");
      const statusCode = status.detail ?? status.code;
      logger.info({ client: entityId, status: statusCode }, "SAML logout answered");
      return respond(deps, provider, { inResponseTo, relayState, binding, status });
    },
  };
}

export type EndLogoutTransaction = ReturnType<typeof createEndLogoutTransaction>;
