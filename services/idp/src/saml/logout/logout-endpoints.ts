import type { SamlProviderConfig } from "@postern/shared/platform/config";
import type { EntityFacts } from "../metadata/read-metadata.ts";
import { bindings } from "../protocol/names.ts";

export type BrowserBinding = "redirect" | "post";

export interface LogoutEndpoint {
  readonly binding: BrowserBinding;
  readonly location: string;
}

const otherThan = (binding: BrowserBinding): BrowserBinding => (binding === "redirect" ? "post" : "redirect");

/** The configured URL takes responses by the binding of the request, because the service provider chose that binding. */
function configuredEndpoints({ slo_url: location, slo_binding: binding }: SamlProviderConfig) {
  const responseTo = (requested: BrowserBinding): LogoutEndpoint => ({ binding: requested, location });
  return { request: { binding, location }, responseTo };
}

/** Redirect is preferred for requests, because it needs no page in between; responses use the binding of the request. */
function endpointsOf({ logoutServices }: Pick<EntityFacts, "logoutServices">) {
  const endpoint = (binding: BrowserBinding, isResponse: boolean): LogoutEndpoint | undefined => {
    const service = logoutServices.find((candidate) => candidate.binding === bindings[binding]);
    if (service === undefined) return undefined;
    // saml-metadata §2.2.2: without a ResponseLocation, responses go to the Location.
    return { binding, location: (isResponse ? service.responseLocation : undefined) ?? service.location };
  };
  return {
    request: endpoint("redirect", false) ?? endpoint("post", false),
    responseTo: (binding: BrowserBinding) => endpoint(binding, true) ?? endpoint(otherThan(binding), true),
  };
}

/**
 * A service provider's endpoints for logout messages through the browser: for our requests, and for the response to a request that arrived by
 * a binding; undefined where it has none. A configured URL takes precedence over the metadata.
 */
export function logoutEndpointsOf(config: SamlProviderConfig, facts: EntityFacts | undefined) {
  if (config.slo_url !== "") return configuredEndpoints(config);
  return endpointsOf({ logoutServices: facts?.logoutServices ?? [] });
}

export type LogoutEndpoints = ReturnType<typeof logoutEndpointsOf>;
