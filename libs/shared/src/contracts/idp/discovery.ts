import { Type } from "typebox";

const url = Type.String({ format: "uri" });
const words = Type.Array(Type.String());

/** OpenID Connect Discovery 1.0 §3, RFC 8414; the document contains more members than these. */
export const Discovery = Type.Object(
  {
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
  },
  { title: "Discovery" },
);

const member = Type.Optional(Type.String());

/** RFC 7517 §5: public keys only. */
export const Jwks = Type.Object(
  {
    keys: Type.Array(
      Type.Object(
        {
          kty: Type.String(),
          kid: Type.String(),
          use: member,
          alg: member,
          n: member,
          e: member,
          crv: member,
          x: member,
          y: member,
        },
        { title: "Jwk" },
      ),
    ),
  },
  { title: "Jwks" },
);
