import { messages } from "../messages.ts";
import { backchannelAudience } from "./auth-backchannel.ts";
import type { Judgement } from "./checks.ts";
import { duration, flag, section, text, texts } from "./fields.ts";
import type { Config } from "./root.ts";

const likeCallers = "If empty, the one of auth.backchannel.oidc_bearer is used";

export const OauthBearer = section(
  "Logins with an access token in place of a password (SASL methods oauthbearer and xoauth2). The settings cache_ttl and revocation_ttl of auth.backchannel.oidc_bearer apply too.",
  {
    enabled: flag("Whether these methods are accepted. If false, such logins are denied."),
    issuer: text(`Issuer of the tokens. ${likeCallers}.`, { form: "http-url" }),
    jwks_file: text(
      "Path of a file with the public keys as a JWK set. If jwks_url is empty too, the keys of auth.backchannel.oidc_bearer are used.",
    ),
    jwks_url: text("URL of the public keys, used when jwks_file is empty.", { form: "http-url" }),
    audience: texts(
      "Audiences, one of which a token must name. If empty, the audience is not checked. It must not contain the audience of the back channel.",
    ),
    required_scope: texts("Scopes, all of which a token must have."),
    username_claims: texts(
      "Claims that name the user, in order of preference. The first claim that a token has must equal the user name of the login.",
      { default: ["preferred_username", "email", "sub"], minItems: 1 },
    ),
    ignore_case: flag(
      "Whether user names are compared case-insensitively. The spelling in the token is used from then on.",
    ),
    clock_skew: duration("10s", "Tolerated difference between clocks when a token's times are checked.", {
      maximum: 60_000,
    }),
  },
);

const root = "auth.oauthbearer";

export function validateOauthBearer(config: Config, { problem }: Judgement): void {
  const { oauthbearer, backchannel } = config.auth;
  const { enabled, issuer, audience, required_scope } = oauthbearer;
  if (audience.includes(backchannelAudience(config))) problem(`${root}.audience`, messages.callersAudience);
  if (!enabled) return;
  if (issuer === "" && backchannel.oidc_bearer.issuer === "") {
    problem(`${root}.issuer`, messages.needsWhen(`${root}.enabled is true`));
  }
  // The tokens of registered mail clients have a separate audience.
  const { mail_registration: mail } = config.identity.oidc;
  if (audience.length === 0 && required_scope.length === 0 && !mail.enabled) problem(root, messages.anyToken);
}
