import { Type } from "typebox";
import { component } from "../schema.ts";

const url = Type.String({ format: "uri" });
const words = Type.Array(Type.String());

/** OpenID Connect Discovery 1.0 §3, RFC 8414; the document contains more members than these. */
export const Discovery = component("Discovery", {
  issuer: url,
  authorization_endpoint: url,
  token_endpoint: url,
  introspection_endpoint: url,
  revocation_endpoint: url,
  userinfo_endpoint: url,
  jwks_uri: url,
  end_session_endpoint: url,
  device_authorization_endpoint: url,
  pushed_authorization_request_endpoint: url,
  response_types_supported: words,
  response_modes_supported: words,
  grant_types_supported: words,
  scopes_supported: words,
  claims_supported: words,
  token_endpoint_auth_methods_supported: words,
  code_challenge_methods_supported: words,
});

const member = Type.Optional(Type.String());

/** RFC 7517 §5: public keys only. */
export const Jwks = component("Jwks", {
  keys: Type.Array(
    component("Jwk", {
      kty: Type.String(),
      kid: Type.String(),
      use: member,
      alg: member,
      n: member,
      e: member,
      crv: member,
      x: member,
      y: member,
    }),
  ),
});
