import type { JwtTokenResponse } from "@postern/shared/contracts";

/** How a request to the JWT endpoints ends; "could not decide" is an exception, and 500. */
export type JwtOutcome =
  | { readonly outcome: "issued"; readonly response: JwtTokenResponse }
  /** Wrong credentials, or a refresh token that is none any more. */
  | { readonly outcome: "denied" }
  /** Who it is was proved, but it may do nothing. */
  | { readonly outcome: "no_role" };
