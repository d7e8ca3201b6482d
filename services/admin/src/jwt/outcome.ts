import type { JwtTokenResponse } from "@postern/shared/contracts";

/** The result of a request to the JWT endpoints; a temporary failure is an exception, answered with 500. */
export type JwtOutcome =
  | { readonly outcome: "issued"; readonly response: JwtTokenResponse }
  /** Wrong credentials, or a refresh token that is no longer valid. */
  | { readonly outcome: "denied" }
  /** The user was authenticated but has no role. */
  | { readonly outcome: "no_role" };

/** The result of a request, for the metrics. */
export type JwtResult = "issued" | "malformed" | "denied" | "no_role" | "undecided";
