import type { Clock } from "@postern/shared/platform/time";
import type { SamlKeys } from "../keys/saml-keys.ts";
import { newId } from "../protocol/identifiers.ts";
import type { Provider } from "../providers.ts";
import type { SamlSettings } from "../saml-settings.ts";
import { logoutResponseOf } from "../xml/logout-xml.ts";
import type { Status } from "../xml/response.ts";
import { type BrowserStep, browserStep } from "./browser-step.ts";
import type { BrowserBinding } from "./logout-endpoints.ts";

export interface RespondDeps {
  readonly settings: () => SamlSettings;
  readonly keys: () => Promise<SamlKeys>;
  readonly clock: Clock;
}

export type LogoutStep =
  | BrowserStep
  /** The service provider has no endpoint for a response. */
  | { readonly step: "done" };

export interface LogoutAnswer {
  readonly inResponseTo: string;
  readonly relayState: string | undefined;
  readonly binding: BrowserBinding;
  readonly status: Status;
}

/** The LogoutResponse, signed; by the binding of the request if the service provider has an endpoint for it. */
export async function respond(
  { settings, keys, clock }: RespondDeps,
  provider: Provider,
  answer: LogoutAnswer,
): Promise<LogoutStep> {
  const { inResponseTo, relayState, binding, status } = answer;
  const endpoint = provider.logout.responseTo(binding);
  if (endpoint === undefined) return { step: "done" };
  const signer = await keys();
  const head = { id: newId(), issuer: settings().entityId, destination: endpoint.location, nowMs: clock.now() };
  const signable = logoutResponseOf(head, inResponseTo, status);
  return browserStep(signable, { provider, endpoint, parameter: "SAMLResponse", relayState, signer });
}
