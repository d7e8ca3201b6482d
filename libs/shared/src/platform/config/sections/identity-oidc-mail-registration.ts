import { normalisedProtocol } from "../../../contracts/auth/request.ts";
import { messages } from "../messages.ts";
import { backchannelAudience } from "./auth-backchannel.ts";
import { checkFilled, type Judgement } from "./checks.ts";
import { choice, duration, entries, flag, liveSection, section, text, texts } from "./fields.ts";
import { longestLife, longestTokenLife } from "./identity-oidc-clients.ts";
import { initialTokens, registrationLimits } from "./identity-oidc-registration.ts";
import type { Config, MailRegistrationConfig } from "./root.ts";

const MailScope = section("A scope of mail clients.", {
  name: text("Name of the scope.", { maxLength: 128 }),
  description: text(
    "Phrase for the scope in the list on the consent page, as a verb phrase. If empty, the pages describe the scopes of the profile in the user's language.",
  ),
  protocols: texts(
    "Protocols for which a token with this scope replaces the password. Use the names that mail servers send, such as imap.",
  ),
});

export const MailRegistration = liveSection(
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
);

/** A scope of mail clients, and the protocols for which a token with it replaces the password. */
export type MailScope = MailRegistrationConfig["scopes"][number];

/** The scopes of draft-ietf-mailmaint-oauth-public-06, section 3.9. */
const scopesOfProfile: readonly MailScope[] = [
  {
    name: "urn:ietf:params:oauth:scope:mail",
    description: "",
    protocols: ["imap", "pop3", "smtp", "submission", "lmtp", "sieve", "jmap"],
  },
  { name: "urn:ietf:params:oauth:scope:calendars", description: "", protocols: ["caldav", "jmap"] },
  { name: "urn:ietf:params:oauth:scope:contacts", description: "", protocols: ["carddav", "jmap"] },
];

/** The configured scopes of mail clients, or those of the profile. */
export function mailScopes({ scopes }: Pick<MailRegistrationConfig, "scopes">): readonly MailScope[] {
  return scopes.length === 0 ? scopesOfProfile : scopes;
}

const root = "identity.oidc.mail_registration";
const standardScopes = ["openid", "profile", "email", "phone", "address", "groups", "offline_access"];
/** RFC 6749 §3.3, scope-token. */
const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
const hostAndPort = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/;

function isResource(text: string): boolean {
  if (hostAndPort.test(text)) return true;
  const url = URL.parse(text);
  return url !== null && url.hash === "" && url.username === "" && /^[a-z][a-z0-9+.-]*:\/\/./.test(text);
}

function validateScopes({ identity }: Config, { problem }: Judgement): void {
  const { mail_registration: mail, custom_scopes } = identity.oidc;
  const names = mailScopes(mail).map(({ name }) => name);
  const taken = new Set([...standardScopes, ...custom_scopes.map(({ name }) => name)]);
  names.forEach((name, index) => {
    const path = `${root}.scopes[${index}].name`;
    if (!scopeToken.test(name)) problem(path, messages.scopeName);
    else if (taken.has(name)) problem(path, messages.scopeTwice);
    taken.add(name);
  });
}

export function validateRegisteredMailClients(config: Config, judgement: Judgement): void {
  const { oidc, frontend } = config.identity;
  const { mail_registration: mail } = oidc;
  if (!mail.enabled) return;
  const { problem } = judgement;
  if (!oidc.enabled) problem("identity.oidc.enabled", messages.needsWhen(`${root}.enabled is true`));
  if (!frontend.enabled) problem("identity.frontend.enabled", messages.needsWhen(`${root}.enabled is true`));
  if (mail.audience === backchannelAudience(config)) problem(`${root}.audience`, messages.callersAudience);
  if (oidc.clients.some(({ client_id }) => client_id === mail.audience)) {
    problem(`${root}.audience`, messages.audienceOfClient);
  }
  if (mail.unused_ttl < mail.refresh_token_lifetime) problem(`${root}.unused_ttl`, messages.registrationTooShort);
  checkFilled(mail.initial_access_tokens, `${root}.initial_access_tokens`, "token", judgement);
  if (!mail.resources.every(isResource)) problem(`${root}.resources`, messages.hostOrUri);
  if (!mail.https_redirect_hosts.every((host) => hostAndPort.test(host))) {
    problem(`${root}.https_redirect_hosts`, messages.hostNames);
  }
  validateScopes(config, judgement);
}

function isIntrospected({ identity }: Config): boolean {
  return identity.oidc.clients.some((client) => client.resource_server);
}

/** Registered clients obtain tokens of our issuer, which engines accept only from the issuer that they are configured with. */
function checkEngines(config: Config, { warning }: Judgement): void {
  const { oauthbearer, backchannel } = config.auth;
  if (isIntrospected(config)) return;
  if (!oauthbearer.enabled) return warning(`${root}.enabled`, messages.tokensUnused);
  const key = oauthbearer.issuer === "" ? "auth.backchannel.oidc_bearer.issuer" : "auth.oauthbearer.issuer";
  const issuer = oauthbearer.issuer === "" ? backchannel.oidc_bearer.issuer : oauthbearer.issuer;
  // The check of the OpenID provider reports an enabled oidc_bearer.
  const isReported = oauthbearer.issuer === "" && backchannel.oidc_bearer.enabled;
  if (issuer !== "" && issuer !== config.identity.oidc.issuer && !isReported) warning(key, messages.notThatIssuer);
}

/** Scopes that permit no protocol, and mail servers whose protocols no scope permits. */
function checkProtocols({ identity }: Config, { warning }: Judgement): void {
  const { mail_registration: mail, clients } = identity.oidc;
  const permitted = new Set(mailScopes(mail).flatMap(({ protocols }) => protocols.map(normalisedProtocol)));
  mail.scopes.forEach(({ protocols }, index) => {
    if (protocols.length === 0) warning(`${root}.scopes[${index}].protocols`, messages.scopeWithoutProtocol);
  });
  clients.forEach(({ resource_server: isServer, protocols }, index) => {
    if (!isServer || protocols.length === 0 || protocols.some((name) => permitted.has(normalisedProtocol(name))))
      return;
    warning(`identity.oidc.clients[${index}].protocols`, messages.protocolsWithoutScope);
  });
}

/** The settings that clients find send them to a registration for which they have no token. */
function checkInvitation({ identity }: Config, { warning }: Judgement): void {
  const { enabled, oauth2 } = identity.mail_clients;
  const { initial_access_tokens: tokens } = identity.oidc.mail_registration;
  if (!enabled || !oauth2.enabled || oauth2.client_id !== "" || tokens.length === 0) return;
  warning("identity.mail_clients.oauth2.enabled", messages.invitedWithoutToken);
}

/** Warns where mail clients may register, but their tokens or their registration cannot succeed. */
export function validateMailTokens(config: Config, judgement: Judgement): void {
  const { oidc } = config.identity;
  if (!oidc.enabled || !oidc.mail_registration.enabled) return;
  checkEngines(config, judgement);
  checkProtocols(config, judgement);
  checkInvitation(config, judgement);
}
