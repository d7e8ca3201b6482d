import { flag, section, texts } from "./fields.ts";
import { initialTokens, registrationLimits } from "./identity-oidc-limits.ts";

/** RFC 7591, RFC 7592, OpenID Connect Dynamic Client Registration 1.0. */
export const DynamicRegistration = section(
  "Registration of clients by themselves (RFC 7591, RFC 7592, OpenID Connect Dynamic Client Registration).",
  {
    enabled: flag("Whether clients may register. Mail clients have a separate profile, `mail_registration`."),
    open: flag("Whether anyone may register. If false, a registration needs one of the initial access tokens."),
    initial_access_tokens: initialTokens("Initial access tokens."),
    grant_types: texts(
      "Grant types that a client may register: authorization_code, refresh_token, `urn:ietf:params:oauth:grant-type:device_code`, and implicit where `response_types_supported` has a response type of it.",
      { default: ["authorization_code", "refresh_token"] },
    ),
    token_endpoint_auth_methods: texts(
      "Authentication methods that a client may register: client_secret_basic, client_secret_post, private_key_jwt, none.",
      { default: ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"] },
    ),
    scopes: texts(
      "Scopes that a client may register. A client that names none is registered with all of them. Scopes of the back channel are not permitted.",
      { default: ["openid", "profile", "email", "offline_access"] },
    ),
    redirect_hosts: texts(
      "Hosts to which https redirect URIs and other addresses of a client may lead; `*.example.test` stands for all hosts below example.test. If empty, any host.",
    ),
    request_uris: flag(
      "Whether a client may register `request_uris`: https URLs at which it publishes request objects. Postern fetches them during sign-ins, with the same restrictions as a `jwks_uri`.",
    ),
    unsigned_request_objects: flag(
      "Whether a client that registers no `request_object_signing_alg` may send unsigned request objects, as OpenID Connect Core permits. If false, it must sign them or register `none`.",
    ),
    jwks_networks: texts(
      "Networks in which the host of a `jwks_uri` or `request_uri` may lie, in addition to public addresses. Others are not connected to, so that a registration cannot make Postern send requests to internal hosts.",
      { form: "network" },
    ),
    ...registrationLimits({ pending: "24h", registrations: 10_000 }),
  },
  { reload: "live" },
);
