import { newId, statusCodes } from "../protocol/names.ts";
import { SamlRefusal } from "../protocol/refusal.ts";
import type { Provider } from "../providers.ts";
import type { SamlCore } from "../saml-core.ts";
import { checkHead } from "../xml/check-head.ts";
import { logoutRequestOf, readLogoutResponse } from "../xml/logout-xml.ts";
import type { MessageParameter } from "../xml/redirect-query.ts";
import { type PostedMessage, postedMessage, redirectAddress } from "../xml/send.ts";
import { type Signable, type Signer, signedElement } from "../xml/sign-xml.ts";
import type { ReadMessage } from "../xml/verify-message.ts";
import { xmlString } from "../xml/xml-writer.ts";
import type { LogoutEndpoint } from "./logout-endpoints.ts";
import type { LogoutTransactions, OutgoingRequest } from "./logout-transactions-redis.ts";
import type { DeliveryReporter } from "./report-delivery.ts";

/** How the browser carries a message to a service provider. */
export type BrowserStep =
  | { readonly step: "post"; readonly provider: Provider; readonly message: PostedMessage }
  | { readonly step: "redirect"; readonly location: string };

interface BrowserMessage {
  readonly provider: Provider;
  readonly endpoint: LogoutEndpoint;
  readonly parameter: MessageParameter;
  readonly relayState: string | undefined;
  readonly signer: Signer;
}

/** Signs a message for the binding of its endpoint: Redirect in the query, POST in the message. */
export function browserStep(signable: Signable, message: BrowserMessage): BrowserStep {
  const { provider, endpoint, parameter, relayState, signer } = message;
  const { location } = endpoint;
  if (endpoint.binding === "redirect") {
    return { step: "redirect", location: redirectAddress(signable, location, message) };
  }
  const xml = xmlString(signedElement(signable, signer));
  return { step: "post", provider, message: postedMessage(location, parameter, xml, relayState) };
}

/** Our logout requests that are sent through the browser. */
export function createFrontChannel(
  { settings, providers, keys, clock }: SamlCore,
  transactions: LogoutTransactions,
  report: DeliveryReporter,
) {
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
