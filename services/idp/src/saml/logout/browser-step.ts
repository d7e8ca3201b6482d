import type { Provider } from "../providers.ts";
import type { MessageParameter } from "../xml/redirect-query.ts";
import { type PostedMessage, postedMessage, redirectAddress } from "../xml/send.ts";
import { type Signable, type Signer, signedElement } from "../xml/sign-xml.ts";
import { xmlString } from "../xml/xml-writer.ts";
import type { LogoutEndpoint } from "./logout-endpoints.ts";

/** How the browser carries a message to a service provider. */
export type BrowserStep =
  | { readonly step: "post"; readonly provider: Provider; readonly message: PostedMessage }
  | { readonly step: "redirect"; readonly location: string };

export interface BrowserMessage {
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
    return { step: "redirect", location: redirectAddress(signable, { location, parameter, relayState, signer }) };
  }
  const xml = xmlString(signedElement(signable, signer));
  return { step: "post", provider, message: postedMessage(location, parameter, xml, relayState) };
}
