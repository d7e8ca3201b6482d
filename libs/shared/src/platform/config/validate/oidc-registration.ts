import { permittedImplicitTypes } from "../implicit-flow.ts";
import { messages } from "../messages.ts";
import type { Config } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

const root = "identity.oidc.dynamic_registration";
const grants = ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code", "implicit"];
const methods = ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"];
const hostPattern = /^(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;

/** RFC 6749 §3.3, and nothing that a token for the back channel could be confused with. */
function validateScopes({ identity, runtime }: Config, { problem }: Judgement): void {
  const { scopes } = identity.oidc.dynamic_registration;
  const path = `${root}.scopes`;
  if (scopes.length === 0) problem(path, messages.required);
  if (scopes.some((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))) problem(path, messages.scopeName);
  if (scopes.some((scope) => scope.startsWith(`${runtime.naming.identifier}:`)))
    problem(path, messages.backchannelScopes);
}

/** Engines that require only scopes would accept the tokens of every client that can register these scopes. */
function opensMailboxes({ auth, identity }: Config): boolean {
  const { enabled, audience, required_scope: required } = auth.oauthbearer;
  const { scopes } = identity.oidc.dynamic_registration;
  const isByScope = required.length > 0 && required.every((scope) => scopes.includes(scope));
  return enabled && audience.length === 0 && isByScope;
}

/** Cross-key rules of dynamic registration. */
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
  own.initial_access_tokens.forEach(({ token }, index) => {
    if (token === "") problem(`${root}.initial_access_tokens[${index}].token`, messages.required);
  });
  const check = (name: "grant_types" | "token_endpoint_auth_methods", served: readonly string[]): void => {
    if (own[name].length === 0 || own[name].some((word) => !served.includes(word))) {
      problem(`${root}.${name}`, messages.notServed(served.join(", ")));
    }
  };
  check("grant_types", grants);
  check("token_endpoint_auth_methods", methods);
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
  if (opensMailboxes(config)) problem(`${root}.scopes`, messages.registrationOpensMail);
}
