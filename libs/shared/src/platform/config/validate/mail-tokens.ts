import { normalisedProtocol } from "../../../contracts/auth/request.ts";
import { mailScopes } from "../mail-scopes.ts";
import { messages } from "../messages.ts";
import type { Config } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

const registration = "identity.oidc.mail_registration";

function isIntrospected({ identity }: Config): boolean {
  return identity.oidc.clients.some((client) => client.resource_server);
}

/** Registered clients obtain tokens of our issuer, which engines accept only from the issuer that they are configured with. */
function checkEngines(config: Config, { warning }: Judgement): void {
  const { oauthbearer, backchannel } = config.auth;
  if (isIntrospected(config)) return;
  if (!oauthbearer.enabled) return warning(`${registration}.enabled`, messages.tokensUnused);
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
    if (protocols.length === 0) warning(`${registration}.scopes[${index}].protocols`, messages.scopeWithoutProtocol);
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
