import { messages } from "../messages.ts";
import { checkFilled, checkServed, type Judgement } from "./checks.ts";
import { duration, entries, flag, integer, liveSection, secret, section, text, texts } from "./fields.ts";
import { longestLife, longestTokenLife, permittedImplicitTypes } from "./identity-oidc-clients.ts";
import type { Config } from "./root.ts";

const InitialToken = section("A token that permits registrations (RFC 7591, section 3).", {
  name: text("Name of the token, for the log.", { maxLength: 64 }),
  token: secret("The token.", { minLength: 20 }),
});

export const initialTokens = (description: string) => entries(description, InitialToken);

/** Bounds of registrations, whatever they permit. */
export const registrationLimits = (defaults: { readonly pending: string; readonly registrations: number }) => ({
  pending_ttl: duration(
    defaults.pending,
    "Time after which a registration with which no user has signed in is deleted.",
    { minimum: 60_000, maximum: longestTokenLife },
  ),
  unused_ttl: duration(
    "2160h",
    "Time after which a registration is deleted if no token has been issued to it. It must be longer than refresh tokens live.",
    { minimum: 3_600_000, maximum: longestLife },
  ),
  max_registrations: integer(defaults.registrations, "Maximum number of registrations. Further ones are refused.", {
    minimum: 1,
    maximum: 10_000_000,
  }),
  max_pending_per_network: integer(
    50,
    "Maximum number of registrations from one network (an IPv4 address or an IPv6 /64) with which no user has signed in.",
    { minimum: 1, maximum: 100_000 },
  ),
  per_minute: integer(10, "Maximum number of registration requests from one network within a minute.", {
    minimum: 1,
    maximum: 100_000,
  }),
});

export const DynamicRegistration = liveSection(
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
);

const root = "identity.oidc.dynamic_registration";
const lists = [
  ["grant_types", ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code", "implicit"]],
  ["token_endpoint_auth_methods", ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"]],
] as const;
const hostPattern = /^(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;

/** RFC 6749 §3.3, and nothing that a token for the back channel could be confused with. */
function validateScopes({ identity, runtime, auth }: Config, { problem }: Judgement): void {
  const { scopes } = identity.oidc.dynamic_registration;
  const path = `${root}.scopes`;
  if (scopes.length === 0) problem(path, messages.required);
  if (scopes.some((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))) problem(path, messages.scopeName);
  if (scopes.some((scope) => scope.startsWith(`${runtime.naming.identifier}:`)))
    problem(path, messages.backchannelScopes);
  // Engines that require only scopes would accept the tokens of every client that can register these scopes.
  const { enabled, audience, required_scope: required } = auth.oauthbearer;
  const isByScope = required.length > 0 && required.every((scope) => scopes.includes(scope));
  if (enabled && audience.length === 0 && isByScope) problem(path, messages.registrationOpensMail);
}

export function validateDynamicRegistration(config: Config, judgement: Judgement): void {
  const { oidc, frontend } = config.identity;
  const { dynamic_registration: own } = oidc;
  if (!own.enabled) return;
  const { problem } = judgement;
  const needed = messages.needsWhen(`${root}.enabled is true`);
  if (!oidc.enabled) problem("identity.oidc.enabled", needed);
  if (!frontend.enabled) problem("identity.frontend.enabled", needed);
  if (!own.open && own.initial_access_tokens.length === 0) {
    problem(`${root}.initial_access_tokens`, messages.registrationClosed);
  }
  checkFilled(own.initial_access_tokens, `${root}.initial_access_tokens`, "token", judgement);
  for (const [name, served] of lists) {
    // An empty list permits no registration.
    checkServed(own[name].length === 0 ? [""] : own[name], served, `${root}.${name}`, judgement);
  }
  if (own.grant_types.includes("implicit") && permittedImplicitTypes(oidc).length === 0) {
    problem("identity.oidc.response_types_supported", messages.implicitTypeNeeded);
  }
  if (own.unused_ttl < oidc.tokens.default_refresh_token_lifetime) {
    problem(`${root}.unused_ttl`, messages.registrationTooShort);
  }
  if (!own.redirect_hosts.every((host) => hostPattern.test(host))) {
    problem(`${root}.redirect_hosts`, messages.hostPatterns);
  }
  validateScopes(config, judgement);
}
