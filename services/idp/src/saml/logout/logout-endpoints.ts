import type { SamlProviderConfig } from "@postern/shared/platform/config";
import type { EntityFacts } from "../metadata/read-metadata.ts";
import { bindings } from "../protocol/names.ts";

export type BrowserBinding = "redirect" | "post";

export interface LogoutEndpoint {
  readonly binding: BrowserBinding;
  readonly location: string;
}

/** A service provider's endpoints for logout messages through the browser. */
export interface LogoutEndpoints {
  /** For our requests; undefined: it has none. */
  readonly request: LogoutEndpoint | undefined;
  /** For the response to a request that arrived by this binding; undefined: it has none. */
  responseTo(binding: BrowserBinding): LogoutEndpoint | undefined;
}

const otherThan = (binding: BrowserBinding): BrowserBinding => (binding === "redirect" ? "post" : "redirect");

/** The configured URL takes responses by the binding of the request, because the service provider chose that binding. */
function configuredEndpoints({ slo_url: location, slo_binding: binding }: SamlProviderConfig): LogoutEndpoints {
  return { request: { binding, location }, responseTo: (requested) => ({ binding: requested, location }) };
}

/** Redirect is preferred for requests, because it needs no page in between; responses use the binding of the request. */
function endpointsOf({ logoutServices }: EntityFacts): LogoutEndpoints {
  const endpoint = (binding: BrowserBinding, isResponse: boolean): LogoutEndpoint | undefined => {
    const service = logoutServices.find((candidate) => candidate.binding === bindings[binding]);
    if (service === undefined) return undefined;
    // saml-metadata §2.2.2: without a ResponseLocation, responses go to the Location.
    return { binding, location: (isResponse ? service.responseLocation : undefined) ?? service.location };
  };
  return {
    request: endpoint("redirect", false) ?? endpoint("post", false),
    responseTo: (binding) => endpoint(binding, true) ?? endpoint(otherThan(binding), true),
  };
}

/** A configured URL takes precedence over the metadata. */
export function logoutEndpointsOf(config: SamlProviderConfig, facts: EntityFacts | undefined): LogoutEndpoints {
  if (config.slo_url !== "") return configuredEndpoints(config);
  return facts === undefined ? { request: undefined, responseTo: () => undefined } : endpointsOf(facts);
}
