import { section } from "./fields.ts";
import { IdentityOidc } from "./identity-oidc.ts";

/** The identity provider. Keys of other parts are accepted today and move here with the parts that use them. */
export const Identity = section("The identity provider.", { oidc: IdentityOidc });
