import { duration, flag, section, text, texts } from "./fields.ts";

const likeCallers = "empty takes that of auth.backchannel.oidc_bearer";

/** Users of mail clients that sign in with an access token in place of a password. */
export const OauthBearer = section(
  "Users who sign in with an access token, method oauthbearer or xoauth2. How long a token counts as verified or not revoked is told by auth.backchannel.oidc_bearer.",
  {
    enabled: flag(false, { description: "Accept these methods; while it is off they are denied." }),
    issuer: text("", { description: `Issuer of the tokens; ${likeCallers}.`, form: "http-url" }),
    jwks_file: text("", {
      description:
        "File with the public keys, a JWK set; with jwks_url empty too, those of auth.backchannel.oidc_bearer.",
    }),
    jwks_url: text("", { description: "Address of the public keys, when jwks_file is empty.", form: "http-url" }),
    audience: texts([], {
      description: "Audiences of which a token must name one; empty asks for none. Never the back channel's.",
    }),
    required_scope: texts([], { description: "Scopes that a token must have, all of them." }),
    username_claims: texts(["preferred_username", "email", "sub"], {
      description: "Claims that name the user; the first that a token has must be the user name of the login.",
      minItems: 1,
    }),
    ignore_case: flag(false, {
      description: "Compare user names without regard to case; the token's spelling is used.",
    }),
    clock_skew: duration("10s", { description: "Leeway in a token's times.", maximum: 60_000 }),
  },
);
