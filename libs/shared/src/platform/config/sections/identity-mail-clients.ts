import { canonicalDomain } from "../../net/canonical-domain.ts";
import { messages } from "../messages.ts";
import type { Judgement } from "./checks.ts";
import { choice, entries, flag, integer, requiredTexts, secret, section, text, texts } from "./fields.ts";
import { mailScopes } from "./identity-oidc-mail-registration.ts";
import type { Config } from "./root.ts";

const mailServer = (protocol: string, tls: number, starttls: number) =>
  section(`${protocol} server.`, {
    host: text(`Host name of the ${protocol} server. If empty, ${protocol} is not offered.`, { form: "domain-name" }),
    port: integer(0, `Port. 0: ${tls} with \`tls\`, ${starttls} with \`starttls\`.`, { maximum: 65_535 }),
    security: choice(
      ["tls", "starttls"],
      "Encryption of the connection. `tls`: TLS from its start. `starttls`: TLS after STARTTLS, which clients then require.",
    ),
  });

/** What mail clients of a domain find. */
export const mailServers = {
  display_name: text("Name of the mail service in clients. If empty, identity.frontend.branding.name is used.", {
    maxLength: 60,
  }),
  short_name: text("Short name of the mail service in clients. If empty, the beginning of display_name is used.", {
    maxLength: 20,
  }),
  user_name: choice(
    ["address", "local_part"],
    "User name at the mail servers: the mail address, or its part before the @.",
  ),
  imap: mailServer("IMAP", 993, 143),
  pop3: mailServer("POP3", 995, 110),
  smtp: mailServer("SMTP", 465, 587),
};

const MailDomain = section("Mail domains with the same servers.", {
  names: requiredTexts("Domains of the mail addresses: the part after the @.", { example: ["example.test"] }),
  ...mailServers,
});

export const IdentityMailClients = section(
  "Settings that mail clients find by themselves: autoconfig, Autodiscover, Apple profiles, DNS records.",
  {
    enabled: flag(
      "Whether the settings are served, and with identity.frontend the page on which users set up a mail client.",
    ),
    oauth2: section("Sign-in of mail clients with OAuth 2.0.", {
      enabled: flag(
        "Whether the settings name OAuth 2.0 first and passwords second. Requires identity.oidc, and mail servers that accept its access tokens.",
      ),
      scopes: texts("Scopes that clients request.", {
        default: ["urn:ietf:params:oauth:scope:mail", "offline_access"],
      }),
      client_id: text(
        "Client ID that clients may use. If empty, clients register themselves, or use one that they know.",
        { maxLength: 255 },
      ),
    }),
    profile: section("Apple configuration profiles.", {
      cert: text(
        "Certificate that signs profiles, followed by its chain, in PEM format. If `cert` and `cert_file` are empty, profiles are not signed.",
      ),
      cert_file: text("Path of the PEM file with that certificate and its chain."),
      key: secret("Private key of the certificate, RSA or EC with P-256, in PEM format (PKCS #8)."),
    }),
    domains: entries(
      "Mail domains and their servers, which take precedence over `mail` of auth.domains. Requests for domains without either are answered with 404.",
      MailDomain,
    ),
  },
);

const root = "identity.mail_clients";

type DomainConfig = Config["identity"]["mail_clients"]["domains"][number];

function checkNames({ names }: DomainConfig, path: string, seen: Set<string>, { problem }: Judgement): void {
  for (const [index, name] of names.entries()) {
    const domain = canonicalDomain(name);
    if (domain === undefined) problem(`${path}.names[${index}]`, messages.mustBe("a domain name"));
    else if (seen.has(domain)) problem(`${path}.names[${index}]`, messages.mailDomainTwice);
    else seen.add(domain);
  }
}

/** Clients need a server for incoming and one for outgoing mail. */
export function checkMailServers(
  { imap, pop3, smtp }: Pick<DomainConfig, "imap" | "pop3" | "smtp">,
  path: string,
  { problem }: Pick<Judgement, "problem">,
): void {
  if (imap.host === "" && pop3.host === "") problem(`${path}.imap.host`, messages.noIncomingServer);
  if (smtp.host === "") problem(`${path}.smtp.host`, messages.required);
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
    checkMailServers(domain, path, judgement);
  }
  if (!enabled) return;
  const { records, source } = config.auth.domains;
  const isElsewhere = source.kind !== "none" || records.some(({ mail }) => mail.smtp.host !== "");
  if (domains.length === 0 && !isElsewhere) problem(`${root}.domains`, messages.needsWhen(`${root}.enabled is true`));
  // Its host is in the DNS records and in the settings.
  if (identity.oidc.issuer === "") problem("identity.oidc.issuer", messages.needsWhen(`${root}.enabled is true`));
  if (oauth2.enabled) checkOauth(config, judgement);
  if ((profile.cert === "" && profile.cert_file === "") !== (profile.key === "")) {
    problem(`${root}.profile.key`, messages.pairOfFiles(`${root}.profile.cert`));
  }
}
