import { createHash } from "node:crypto";
import { pathTo } from "../../contracts/index.ts";
import type { Config } from "../../platform/config/index.ts";
import { canonicalDomain } from "../../platform/net/index.ts";

type MailClientsConfig = Config["identity"]["mail_clients"];
/** The servers of a domain and what clients show of them, in an entry or in a record of `auth.domains`. */
export type MailServersConfig = Omit<MailClientsConfig["domains"][number], "names">;

/** A server as clients reach it. There is always TLS: from the start, or after STARTTLS. */
export type MailServer = ReturnType<typeof serverOf>;
/** The mail services of one domain. */
export type MailServices = ReturnType<ReturnType<typeof createServicesOf>>;

const ports = {
  imap: { tls: 993, starttls: 143 },
  pop3: { tls: 995, starttls: 110 },
  smtp: { tls: 465, starttls: 587 },
} as const;

/** draft-ietf-mailmaint-autoconfig: the longest that clients have to show. */
const maxShortName = 20;

function serverOf(config: MailServersConfig, protocol: keyof typeof ports) {
  const { host, port, security } = config[protocol];
  return { host: host.replace(/\.$/, ""), port: port === 0 ? ports[protocol][security] : port, security };
}

function offered(server: MailServer): MailServer | undefined {
  return server.host === "" ? undefined : server;
}

/** What a client needs to know to sign in with OAuth 2.0; undefined if it signs in with a password. */
function oauthOf({ oauth2 }: MailClientsConfig, issuer: string) {
  if (!oauth2.enabled) return undefined;
  return {
    issuer,
    authorizationUrl: new URL(pathTo("authorize"), issuer).href,
    tokenUrl: new URL(pathTo("token"), issuer).href,
    scopes: oauth2.scopes,
    /** Undefined: clients register themselves, or use one that they know. */
    clientId: oauth2.client_id === "" ? undefined : oauth2.client_id,
  };
}

/** Makes the mail services of a domain from its servers. */
function createServicesOf({ mail_clients: clients, oidc, frontend }: Config["identity"]) {
  const oauth = oauthOf(clients, oidc.issuer);
  return (domain: string, config: MailServersConfig) => {
    const displayName = config.display_name === "" ? frontend.branding.name : config.display_name;
    return {
      domain,
      displayName,
      shortName:
        config.short_name === "" ? Array.from(displayName).slice(0, maxShortName).join("").trim() : config.short_name,
      userName: config.user_name,
      imap: offered(serverOf(config, "imap")),
      pop3: offered(serverOf(config, "pop3")),
      smtp: serverOf(config, "smtp"),
      oauth,
    };
  };
}

/** Whether clients of a domain find servers by its record. */
function hasServers({ smtp }: MailServersConfig): boolean {
  return smtp.host !== "";
}

/** The mail services of all configured domains. @throws TypeError if `identity.oidc.issuer` is not set */
export function mailServiceTable({ identity, auth }: Config) {
  const servicesOf = createServicesOf(identity);
  const { mail_clients: clients, oidc } = identity;
  const records = auth.domains.records
    .filter(({ mail }) => hasServers(mail))
    .map(({ name, aliases, mail }) => ({ names: [name, ...aliases], config: mail }));
  const entries = clients.domains.map((config) => ({ names: config.names, config }));
  const tableOf = (lists: typeof entries | typeof records) => {
    const all = lists.flatMap(({ names, config }) =>
      names.flatMap((name) => {
        // Callers compare names in this spelling.
        const domain = canonicalDomain(name);
        return domain === undefined ? [] : [[domain, servicesOf(domain, config)] as const];
      }),
    );
    return new Map(all);
  };
  const byEntry = tableOf(entries);
  const byDomain = new Map([...tableOf(records), ...byEntry]);
  return {
    /** Host of the sign-in pages, which also serves the settings. */
    publicUrl: new URL(oidc.issuer),
    all: [...byDomain.values()],
    /** In any spelling. */
    find: (domain: string) => {
      const canonical = canonicalDomain(domain);
      return canonical === undefined ? undefined : byDomain.get(canonical);
    },
    /** As a service finds them whose records change or come from a source: by the entry of a domain, or else by its record. */
    findWith: async (
      domain: string,
      mailOf: (domain: string) => Promise<MailServersConfig | undefined>,
    ): Promise<MailServices | undefined> => {
      const canonical = canonicalDomain(domain);
      if (canonical === undefined) return undefined;
      const entry = byEntry.get(canonical);
      if (entry !== undefined) return entry;
      const mail = await mailOf(canonical);
      return mail === undefined || !hasServers(mail) ? undefined : servicesOf(canonical, mail);
    },
  };
}

/** Label below a mail domain under which clients ask for the document (draft-ietf-mailmaint-pacc). */
export const agentConfigurationLabel = "ua-auto-config";

/** The document cannot express a port or STARTTLS: a host stands for the protocol's TLS port. */
function hostOf(server: MailServer | undefined, port: number): { readonly host: string } | undefined {
  return server !== undefined && server.security === "tls" && server.port === port ? { host: server.host } : undefined;
}

/**
 * The document of PACC (draft-ietf-mailmaint-pacc), or undefined if it cannot express the servers of the domain. The same
 * services give the same bytes on every replica, because the DNS record contains their digest.
 */
export function agentConfiguration(services: MailServices): string | undefined {
  const smtp = hostOf(services.smtp, 465);
  const imap = hostOf(services.imap, 993);
  const pop3 = hostOf(services.pop3, 995);
  if (smtp === undefined || (imap === undefined && pop3 === undefined)) return undefined;
  const { oauth, displayName, shortName } = services;
  const document = {
    protocols: { ...(imap && { imap }), ...(pop3 && { pop3 }), smtp },
    authentication: { ...(oauth && { "oauth-public": { issuer: oauth.issuer } }), password: true },
    info: { provider: { name: displayName, shortName } },
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

/** The TXT record by which clients verify the document. */
export function agentConfigurationDigest(document: string): string {
  return `v=UAAC1; a=sha256; d=${createHash("sha256").update(document, "utf8").digest("base64")}`;
}
