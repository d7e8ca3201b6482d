import type { ClientCertificate } from "@postern/shared/platform/http";
import { decodeJwt, type JWTPayload } from "jose";
import { errors, type KoaContextWithOIDC } from "oidc-provider";

/** Tells the provider what became of a request object (a {@link RequestObjectState}); only the bridge sets it. */
export const requestObjectHeader = "x-service-request-object";

/** Why a request object is refused, for the log. */
export type RequestObjectRefusal =
  | "not_enabled"
  | "not_a_request_object"
  | "wrong_algorithm"
  | "no_key"
  | "wrong_signature_or_claims"
  | "wrong_client"
  | "wrong_lifetime"
  | "nested"
  | "wrong_response_type"
  | "unregistered_uri"
  | "unreadable_uri"
  | "keys_unavailable";

/** Empty for a request without a request object. */
export type RequestObjectState = "" | "signed" | "unsigned" | RequestObjectRefusal;

function errorOf(state: string): Error {
  if (state === "not_enabled") return new errors.RequestNotSupported();
  if (state === "unregistered_uri")
    return new errors.InvalidRequestUri("the client has not registered this URI", state);
  if (state === "unreadable_uri") return new errors.InvalidRequestUri("the request object cannot be read", state);
  if (state === "keys_unavailable") return new errors.TemporarilyUnavailable("try again in a moment", state);
  return new errors.InvalidRequestObject("the request object is not valid", state);
}

/**
 * Refuses every request object that reaches the provider: valid ones were replaced by their parameters. The provider calls
 * this for pushed requests too, which it stores in the form of a request object.
 */
export function refuseRequestObject(ctx: KoaContextWithOIDC): void {
  if (ctx.oidc.entities.PushedAuthorizationRequest === undefined) throw errorOf(ctx.get(requestObjectHeader));
}

/** @throws InvalidRequest for a request that is not signed, at authorization and pushed authorization requests */
export function demandSignedRequest(ctx: KoaContextWithOIDC): void {
  const { route, entities } = ctx.oidc;
  // A pushed request was checked when it was pushed.
  if (route === "device_authorization" || entities.PushedAuthorizationRequest !== undefined) return;
  if (ctx.get(requestObjectHeader) !== "signed") {
    throw new errors.InvalidRequest("the client must send a signed request object");
  }
}

/** Passes the client's certificate to the provider, in base64url; only the bridge sets it. */
export const certificateHeader = "x-service-client-certificate";

/** Not verified: the provider only binds tokens to the certificate, and does not authenticate clients by it. */
export function certificateInHeader(value: string): ClientCertificate | undefined {
  return value === "" ? undefined : { der: value, isVerified: false };
}

/** The members of a request object, not verified; undefined if it is not a JWT. */
export function membersOf(object: string): JWTPayload | undefined {
  try {
    return decodeJwt(object);
  } catch {
    return undefined;
  }
}
