import { choice, duration, entries, flag, section, text, texts } from "./fields.ts";
import { initialTokens, longestLife, longestTokenLife, registrationLimits } from "./identity-oidc-limits.ts";

const MailScope = section("A scope of mail clients.", {
  name: text("Name of the scope.", { maxLength: 128 }),
  description: text(
    "Phrase for the scope in the list on the consent page, as a verb phrase. If empty, the pages describe the scopes of the profile in the user's language.",
  ),
  protocols: texts(
    "Protocols for which a token with this scope replaces the password. Use the names that mail servers send, such as imap.",
  ),
});

/** draft-ietf-mailmaint-oauth-public. */
export const MailRegistration = section(
  "Mail clients that register themselves, in the bounds of the OAuth profile for open public clients (draft-ietf-mailmaint-oauth-public-06).",
  {
    enabled: flag("Whether mail clients may register. This does not permit any other registration."),
    audience: text(
      "Audience (`aud`) of the tokens. The engines accept it without an entry in auth.oauthbearer.audience. It must differ from the audience of the back channel and from every client ID.",
      { default: "mail", minLength: 1, maxLength: 200 },
    ),
    scopes: entries(
      "Scopes that the clients may obtain, besides offline_access, and what they permit. If empty: `urn:ietf:params:oauth:scope:mail` for imap, pop3, smtp, submission, lmtp, sieve and jmap, `urn:ietf:params:oauth:scope:calendars` for caldav and jmap, and `urn:ietf:params:oauth:scope:contacts` for carddav and jmap.",
      MailScope,
    ),
    resources: texts(
      "Mail services, as host names or URIs, that the metadata lists in `protected_resources` (RFC 9728, section 4) besides the servers of identity.mail_clients, for example `dav.example.test`.",
    ),
    https_redirect_hosts: texts(
      "Hosts of https redirect URIs that mail applications have claimed (RFC 8252, section 7.2). Without an entry, only loopback addresses and private-use schemes are accepted, because an https URI could also belong to a website.",
    ),
    access_token_type: choice(["opaque", "jwt"], "Format of the access tokens."),
    access_token_lifetime: duration("15m", "Lifetime of access tokens.", { minimum: 1000, maximum: longestTokenLife }),
    refresh_token_lifetime: duration(
      "720h",
      "Lifetime of refresh tokens. Each use replaces the token with a new one.",
      { minimum: 1000, maximum: longestLife },
    ),
    require_mfa: texts(
      "Second factors that users of mail clients must have set up: `totp`, `webauthn`, `recovery_codes`.",
    ),
    initial_access_tokens: initialTokens(
      "Initial access tokens. If there are any, a registration needs one of them; otherwise anyone may register.",
    ),
    ...registrationLimits({ pending: "1h", registrations: 100_000 }),
  },
  { reload: "live" },
);
