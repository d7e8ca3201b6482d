import type { MailServer, MailServices } from "@postern/shared/domain/mail-clients";
import { element, type Xml, xmlString } from "../saml/xml/xml-writer.ts";

const socketTypes = { tls: "SSL", starttls: "STARTTLS" } as const;

/** Clients replace the placeholder, so the document is the same for every user of a domain. */
const userNames = { address: "%EMAILADDRESS%", local_part: "%EMAILLOCALPART%" } as const;

/** Clients use the first method that they support. */
function methodsOf({ oauth }: MailServices): readonly string[] {
  return oauth === undefined ? ["password-cleartext"] : ["OAuth2", "password-cleartext"];
}

function serverElement(
  name: "incomingServer" | "outgoingServer",
  type: string,
  { host, port, security }: MailServer,
  services: MailServices,
): Xml {
  return element(
    name,
    { type },
    element("hostname", {}, host),
    element("port", {}, String(port)),
    element("socketType", {}, socketTypes[security]),
    ...methodsOf(services).map((method) => element("authentication", {}, method)),
    element("username", {}, userNames[services.userName]),
  );
}

function oauthElement({ oauth }: MailServices): Xml | undefined {
  if (oauth === undefined) return undefined;
  const { issuer, authorizationUrl, tokenUrl, scopes, clientId } = oauth;
  return element(
    "oAuth2",
    {},
    element("issuer", {}, issuer),
    element("scope", {}, scopes.join(" ")),
    element("authURL", {}, authorizationUrl),
    element("tokenURL", {}, tokenUrl),
    clientId === undefined ? undefined : element("clientID", {}, clientId),
  );
}

/** Mozilla autoconfig 1.1 with the `oAuth2` element of 1.2 (draft-ietf-mailmaint-autoconfig), which older clients ignore. */
export function autoconfigDocument(services: MailServices): string {
  const { domain, displayName, shortName, imap, pop3, smtp } = services;
  const root = element(
    "clientConfig",
    { version: "1.1" },
    element(
      "emailProvider",
      { id: domain },
      element("domain", {}, domain),
      element("displayName", {}, displayName),
      element("displayShortName", {}, shortName),
      imap && serverElement("incomingServer", "imap", imap, services),
      pop3 && serverElement("incomingServer", "pop3", pop3, services),
      serverElement("outgoingServer", "smtp", smtp, services),
    ),
    oauthElement(services),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${xmlString(root)}\n`;
}
