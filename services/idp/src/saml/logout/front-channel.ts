import type { Clock } from "@postern/shared/platform/time";
import type { SamlKeys } from "../keys/saml-keys.ts";
import { newId } from "../protocol/identifiers.ts";
import { statusCodes } from "../protocol/names.ts";
import { SamlRefusal } from "../protocol/refusal.ts";
import type { Provider, Providers } from "../providers.ts";
import type { SamlSettings } from "../saml-settings.ts";
import { checkHead } from "../xml/check-message.ts";
import { readLogoutResponse } from "../xml/logout-messages.ts";
import { logoutRequestOf } from "../xml/logout-xml.ts";
import type { ReadMessage } from "../xml/read-message.ts";
import { type BrowserStep, browserStep } from "./browser-step.ts";
import type { LogoutTransactions, OutgoingRequest } from "./logout-transaction.ts";
import type { DeliveryReporter } from "./report-delivery.ts";

export interface FrontChannelDeps {
  readonly settings: () => SamlSettings;
  readonly providers: () => Providers;
  readonly keys: () => Promise<SamlKeys>;
  readonly transactions: LogoutTransactions;
  readonly report: DeliveryReporter;
  readonly clock: Clock;
}

/** Our logout requests that are sent through the browser. */
export function createFrontChannel(deps: FrontChannelDeps) {
  const { settings, providers, keys, transactions, report, clock } = deps;
  return {
    /**
     * The request to the service provider at this index of the logout transaction; undefined if none is to be notified.
     */
    requestFor: async (transactionId: string, index: number, isFramed: boolean): Promise<BrowserStep | undefined> => {
      const now = await transactions.find(transactionId);
      const service = now?.transaction.services[index];
      if (service?.channel !== "browser" || now?.results.get(index) === "done") return undefined;
      const provider = providers().find(service.entityId);
      const endpoint = provider?.logout.request;
      if (provider === undefined || endpoint === undefined) return undefined;
      const id = newId();
      const request = { journeyId: transactionId, index, entityId: service.entityId, isFramed };
      if (!(await transactions.ask(id, request))) return undefined;
      const head = { id, issuer: settings().entityId, destination: endpoint.location, nowMs: clock.now() };
      const message = { provider, endpoint, parameter: "SAMLRequest", relayState: undefined } as const;
      return browserStep(logoutRequestOf(head, service), { ...message, signer: await keys() });
    },
    /** Accepts the response of a service provider to one of our requests, once. @throws SamlRefusal */
    receive: async ({
      root,
      sender: { entityId, keys: certified },
      isSigned,
    }: ReadMessage<Provider>): Promise<OutgoingRequest> => {
      checkHead(root, { destination: settings().addresses.slo, nowMs: clock.now(), isSigned });
      // saml-profiles §4.4.4.2: messages through the browser must be signed. Without a certificate this cannot be
      // checked.
      if (!isSigned && certified.length > 0) throw new SamlRefusal("signature_missing", "LogoutResponse");
      const { inResponseTo, status, detail } = readLogoutResponse(root);
      const request = await transactions.takeRequest(inResponseTo, entityId);
      if (request === undefined)
        throw new SamlRefusal("unknown_request", "no logout request is waiting for this response");
      const result = status === statusCodes.success ? "done" : "refused";
      await transactions.note(request.journeyId, request.index, result);
      report({ channel: "browser", result, entityId, status: detail ?? status });
      return request;
    },
  };
}

export type FrontChannel = ReturnType<typeof createFrontChannel>;
