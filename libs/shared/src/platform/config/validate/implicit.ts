import { excludesImplicit, permittedImplicitTypes } from "../implicit-flow.ts";
import { messages } from "../messages.ts";
import type { OidcClientConfig, OidcConfig } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

const key = "identity.oidc.response_types_supported";

/** Warns of the implicit flow. */
export function validateImplicitSite(oidc: OidcConfig, { warning }: Judgement): void {
  if (permittedImplicitTypes(oidc).length > 0) warning(key, messages.implicitFlow);
}

/** A client with the grant type `implicit`. */
export function validateImplicitClient(
  oidc: OidcConfig,
  client: OidcClientConfig,
  path: string,
  { problem }: Judgement,
): void {
  if (!client.grant_types.includes("implicit")) return;
  if (permittedImplicitTypes(oidc).length === 0) problem(key, messages.implicitTypeNeeded);
  for (const name of excludesImplicit(client)) problem(`${path}.grant_types`, messages.notWith(name));
}
