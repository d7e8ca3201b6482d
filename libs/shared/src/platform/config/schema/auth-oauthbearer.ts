import { boolean, duration, section, string, stringList } from "./fields.ts";

const likeCallers = "If empty, the one of auth.backchannel.oidc_bearer is used";

/** Users of mail clients that sign in with an access token in place of a password. */
export const OauthBearer = section(
  "Logins with an access token in place of a password (SASL methods oauthbearer and xoauth2). The settings cache_ttl and revocation_ttl of auth.backchannel.oidc_bearer apply too.",
  {
    enabled: boolean(false, { description: "Whether these methods are accepted. If false, such logins are denied." }),
    issuer: string("", { description: `Issuer of the tokens. ${likeCallers}.`, form: "http-url" }),
    jwks_file: string("", {
      description:
        "Path of a file with the public keys as a JWK set. If jwks_url is empty too, the keys of auth.backchannel.oidc_bearer are used.",
    }),
    jwks_url: string("", { description: "URL of the public keys, used when jwks_file is empty.", form: "http-url" }),
    audience: stringList([], {
      description:
        "Audiences, one of which a token must name. If empty, the audience is not checked. It must not contain the audience of the back channel.",
    }),
    required_scope: stringList([], { description: "Scopes, all of which a token must have." }),
    username_claims: stringList(["preferred_username", "email", "sub"], {
      description:
        "Claims that name the user, in order of preference. The first claim that a token has must equal the user name of the login.",
      minItems: 1,
    }),
    ignore_case: boolean(false, {
      description:
        "Whether user names are compared case-insensitively. The spelling in the token is used from then on.",
    }),
    clock_skew: duration("10s", {
      description: "Tolerated difference between clocks when a token's times are checked.",
      maximum: 60_000,
    }),
  },
);
