import { backchannelAudience } from "../backchannel-audience.ts";
import { mailScopes } from "../mail-scopes.ts";
import { messages } from "../messages.ts";
import type { Config } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

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

/** Cross-key rules of the clients that register themselves. */
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
  mail.initial_access_tokens.forEach(({ token }, index) => {
    if (token === "") problem(`${root}.initial_access_tokens[${index}].token`, messages.required);
  });
  if (!mail.resources.every(isResource)) problem(`${root}.resources`, messages.hostOrUri);
  if (!mail.https_redirect_hosts.every((host) => hostAndPort.test(host))) {
    problem(`${root}.https_redirect_hosts`, messages.hostNames);
  }
  validateScopes(config, judgement);
}
