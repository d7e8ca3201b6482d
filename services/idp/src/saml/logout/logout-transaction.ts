import { pathTo } from "@postern/shared/contracts";
import type { ServiceState } from "../../pages/templates/single-logout.ts";
import { newId, statusCodes } from "../protocol/names.ts";
import type { SamlCore } from "../saml-core.ts";
import { logoutResponseOf } from "../xml/logout-xml.ts";
import type { Status } from "../xml/response.ts";
import { type BrowserStep, browserStep } from "./front-channel.ts";
import type { RequestedLogout } from "./logout.ts";
import type { LogoutTransactionService, LogoutTransactions, ServiceResult } from "./logout-transactions-redis.ts";
import type { DeliveryReporter } from "./report-delivery.ts";

export function logoutTransactionPath(id: string, more: Readonly<Record<string, string>> = {}): string {
  return `${pathTo("samlLogout")}?${new URLSearchParams({ logout: id, ...more }).toString()}`;
}

function stateOf(
  { channel }: LogoutTransactionService,
  result: ServiceResult | undefined,
  isLate: boolean,
): ServiceState {
  if (result !== undefined) return result;
  if (channel === "none") return "not_told";
  if (!isLate) return "asking";
  return channel === "soap" ? "later" : "no_answer";
}

/** A logout transaction with the results up to now. */
type LogoutTransactionNow = NonNullable<Awaited<ReturnType<LogoutTransactions["find"]>>>;

export function statesOf({ transaction, results }: LogoutTransactionNow, nowMs: number): readonly ServiceState[] {
  const isLate = nowMs >= transaction.deadlineMs;
  return transaction.services.map((service, index) => stateOf(service, results.get(index), isLate));
}

export type LogoutTransactionView = LogoutTransactionNow & { readonly states: ReturnType<typeof statesOf> };

function statusOf({ isKnown }: RequestedLogout, view: LogoutTransactionView | undefined): Status {
  if (!isKnown) return { code: statusCodes.requester, detail: statusCodes.unknownPrincipal };
  const isWhole = view === undefined || view.states.every((state) => state === "done");
  return { code: statusCodes.success, detail: isWhole ? undefined : statusCodes.partialLogout };
}

export function createEndLogoutTransaction(
  { settings, providers, keys, metrics, logger, clock, sharedClock }: SamlCore,
  transactions: LogoutTransactions,
  report: DeliveryReporter,
) {
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
    /**
     * The signed response to the service provider that started the logout, by the binding of its request if it has an
     * endpoint for that; undefined if it has no endpoint for a response.
     */
    answer: async (
      logout: RequestedLogout,
      view: LogoutTransactionView | undefined,
    ): Promise<BrowserStep | undefined> => {
      const { entityId, inResponseTo, relayState, binding } = logout.end;
      const provider = providers().find(entityId);
      if (provider === undefined) return undefined;
      const status = statusOf(logout, view);
      metrics.loggedOut(status.code === statusCodes.success ? "success" : "failure");
      const statusCode = status.detail ?? status.code;
      logger.info({ client: entityId, status: statusCode }, "SAML logout answered");
      const endpoint = provider.logout.responseTo(binding);
      if (endpoint === undefined) return undefined;
      const signer = await keys();
      const head = { id: newId(), issuer: settings().entityId, destination: endpoint.location, nowMs: clock.now() };
      const signable = logoutResponseOf(head, inResponseTo, status);
      return browserStep(signable, { provider, endpoint, parameter: "SAMLResponse", relayState, signer });
    },
  };
}
