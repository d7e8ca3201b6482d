import { canonicalDomain } from "../../net/canonical-domain.ts";
import { mailScopes } from "../mail-scopes.ts";
import { messages } from "../messages.ts";
import type { Config } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";

const root = "identity.mail_clients";

type MailDomain = Config["identity"]["mail_clients"]["domains"][number];

function checkNames({ names }: MailDomain, path: string, seen: Set<string>, { problem }: Judgement): void {
  for (const [index, name] of names.entries()) {
    const domain = canonicalDomain(name);
    if (domain === undefined) problem(`${path}.names[${index}]`, messages.mustBe("a domain name"));
    else if (seen.has(domain)) problem(`${path}.names[${index}]`, messages.mailDomainTwice);
    else seen.add(domain);
  }
}

/** The scopes that clients may request with these settings; undefined if they use a client ID that is not configured here. */
function grantedScopes({ identity }: Config, { problem, warning }: Judgement): readonly string[] | undefined {
  const { oauth2 } = identity.mail_clients;
  const { clients, mail_registration: mail } = identity.oidc;
  const path = `${root}.oauth2.client_id`;
  if (oauth2.client_id === "") {
    if (mail.enabled) return [...mailScopes(mail).map(({ name }) => name), "offline_access"];
    warning(path, messages.noWayToClientId);
    return undefined;
  }
  const client = clients.find(({ client_id }) => client_id === oauth2.client_id);
  if (client === undefined) problem(path, messages.noSuchClient);
  else if (client.client_secret !== "") problem(path, messages.clientMustBePublic);
  return client?.scopes;
}

/** Whether the engines accept tokens of the configured client: their audience is its client ID. */
function isAccepted({ auth, identity }: Config): boolean {
  const { enabled, issuer, audience, required_scope } = auth.oauthbearer;
  const { client_id, scopes } = identity.mail_clients.oauth2;
  if (!enabled || client_id === "" || (issuer !== "" && issuer !== identity.oidc.issuer)) return true;
  return (
    (audience.length === 0 || audience.includes(client_id)) && required_scope.every((name) => scopes.includes(name))
  );
}

/** Settings that send clients to sign-ins that fail. */
function checkOauth(config: Config, judgement: Judgement): void {
  const { problem, warning } = judgement;
  const { oidc, mail_clients: clients } = config.identity;
  const isIntrospected = oidc.clients.some((client) => client.resource_server);
  if (!oidc.enabled) {
    problem("identity.oidc.enabled", messages.needsWhen(`${root}.oauth2.enabled is true`));
    return;
  }
  const granted = grantedScopes(config, judgement);
  if (granted !== undefined && !clients.oauth2.scopes.every((scope) => granted.includes(scope))) {
    problem(`${root}.oauth2.scopes`, messages.scopesNotGranted);
  }
  if (isIntrospected) return;
  // Where clients register themselves, the check of their tokens reports it.
  if (!config.auth.oauthbearer.enabled && !oidc.mail_registration.enabled) {
    warning(`${root}.oauth2.enabled`, messages.tokensUnused);
  }
  if (!isAccepted(config)) warning(`${root}.oauth2.client_id`, messages.tokensNotAccepted);
}

/** Cross-key rules of `identity.mail_clients`; its key and certificate are checked when they are loaded. */
export function validateMailClients(config: Config, judgement: Judgement): void {
  const { problem } = judgement;
  const { identity } = config;
  const { enabled, oauth2, profile, domains } = identity.mail_clients;
  const seen = new Set<string>();
  for (const [index, domain] of domains.entries()) {
    const path = `${root}.domains[${index}]`;
    checkNames(domain, path, seen, judgement);
    if (domain.imap.host === "" && domain.pop3.host === "") problem(`${path}.imap.host`, messages.noIncomingServer);
    if (domain.smtp.host === "") problem(`${path}.smtp.host`, messages.required);
  }
  if (!enabled) return;
  if (domains.length === 0) problem(`${root}.domains`, messages.needsWhen(`${root}.enabled is true`));
  // Its host is in the DNS records and in the settings.
  if (identity.oidc.issuer === "") problem("identity.oidc.issuer", messages.needsWhen(`${root}.enabled is true`));
  if (oauth2.enabled) checkOauth(config, judgement);
  if ((profile.cert === "" && profile.cert_file === "") !== (profile.key === "")) {
    problem(`${root}.profile.key`, messages.pairOfFiles(`${root}.profile.cert`));
  }
}
