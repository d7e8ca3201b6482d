import type { OidcClientConfig } from "@postern/shared/platform/config";

export const clientSignatures = ["RS256", "PS256", "ES256", "EdDSA"] as const;

/** The metadata of a client of dynamic registration, besides what every registration has. */
export interface RegisteredMetadata {
  /** Undefined for a public client that does not state it; always stated in registrations of earlier versions. */
  readonly applicationType?: "web" | "native" | undefined;
  readonly authMethod: "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "none";
  readonly grantTypes: readonly string[];
  /** Response types of the implicit flow; absent if the client does not use it, and for registrations of earlier versions. */
  readonly implicitTypes?: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
  /** A JWK set in JSON; empty if the client has none or publishes it. */
  readonly jwks: string;
  readonly jwksUri: string;
  readonly policyUri: string;
  readonly tosUri: string;
  readonly initiateLoginUri: string;
  readonly idTokenAlgorithm: (typeof clientSignatures)[number];
  /** Empty for responses without a signature; registrations of earlier versions have none. */
  readonly userinfoAlgorithm?: "" | (typeof clientSignatures)[number];
  /** Seconds; undefined if any age is enough, and for registrations of earlier versions. */
  readonly defaultMaxAge?: number | undefined;
  readonly requestObjectAlgorithm: Exclude<OidcClientConfig["request_object_signing_alg"], "any">;
  /** Absent if the client publishes no request objects, and for registrations of earlier versions. */
  readonly requestUris?: readonly string[];
  readonly requiresPushedRequests: boolean;
  readonly requiresSignedRequests: boolean;
  readonly requiresDpop: boolean;
}
