import { Create } from "typebox/value";
import { OidcClient } from "./schema/identity-oidc-client.ts";
import type { OidcClientConfig } from "./schema/root.ts";

/** A client of which nothing is configured; for clients that register themselves. */
export const clientDefaults: OidcClientConfig = Object.freeze(Create(OidcClient));
