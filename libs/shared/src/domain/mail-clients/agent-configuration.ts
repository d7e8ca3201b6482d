import { createHash } from "node:crypto";
import type { MailServer, MailServices } from "./mail-services.ts";

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
