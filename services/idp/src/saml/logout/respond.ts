import type { Clock } from "@postern/shared/platform/time";
import type { SamlKeys } from "../keys/saml-keys.ts";
import { logoutResponseOf } from "../outbound/logout-xml.ts";
import type { Status } from "../outbound/response.ts";
import { type PostedMessage, postedMessage, redirectAddress } from "../outbound/send.ts";
import { signedElement } from "../outbound/sign-xml.ts";
import { xmlString } from "../outbound/xml-writer.ts";
import { newId } from "../protocol/new-id.ts";
import type { Provider } from "../providers.ts";
import type { SamlSettings } from "../saml-settings.ts";

export interface RespondDeps {
  readonly settings: () => SamlSettings;
  readonly keys: () => Promise<SamlKeys>;
  readonly clock: Clock;
}

export type Binding = "redirect" | "post";

export type LogoutStep =
  | { readonly step: "post"; readonly provider: Provider; readonly message: PostedMessage }
  | { readonly step: "redirect"; readonly location: string }
  /** The service provider has no endpoint for a response. */
  | { readonly step: "done" };

export interface LogoutAnswer {
  readonly inResponseTo: string;
  readonly relayState: string | undefined;
  readonly binding: Binding;
  readonly status: Status;
}

/** The LogoutResponse, by the binding of the request, signed. */
export async function respond(
  { settings, keys, clock }: RespondDeps,
  provider: Provider,
  answer: LogoutAnswer,
): Promise<LogoutStep> {
  const destination = provider.config.slo_url;
  if (destination === "") return { step: "done" };
  const signer = await keys();
  const { inResponseTo, relayState, binding, status } = answer;
  const head = { id: newId(), issuer: settings().entityId, destination, nowMs: clock.now() };
  const signable = logoutResponseOf(head, inResponseTo, status);
  if (binding === "redirect") {
    const wanted = { location: destination, parameter: "SAMLResponse", relayState, signer } as const;
    return { step: "redirect", location: redirectAddress(signable, wanted) };
  }
  const xml = xmlString(signedElement(signable, signer));
  return { step: "post", provider, message: postedMessage(destination, "SAMLResponse", xml, relayState) };
}
