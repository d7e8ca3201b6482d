import type { MailServer, MailServices } from "@postern/shared/domain/mail-clients";
import { element, type Xml, xmlString } from "../saml/xml/xml-writer.ts";
import { outlookResponse } from "./autodiscover-request.ts";
import { type MailAddress, userNameAt } from "./mail-address.ts";

const responseNamespace = "http://schemas.microsoft.com/exchange/autodiscover/responseschema/2006";

const encryptions = { tls: "SSL", starttls: "TLS" } as const;

/**
 * `Encryption` overrides `SSL` (MS-OXDSCLI). `SSL` is on with STARTTLS too, so that a client that does not know `Encryption`
 * cannot connect, rather than sends the password unencrypted.
 */
function protocolElement(type: "IMAP" | "POP3" | "SMTP", { host, port, security }: MailServer, userName: string): Xml {
  return element(
    "Protocol",
    {},
    element("Type", {}, type),
    element("Server", {}, host),
    element("Port", {}, String(port)),
    element("LoginName", {}, userName),
    element("DomainRequired", {}, "off"),
    element("SPA", {}, "off"),
    element("SSL", {}, "on"),
    element("Encryption", {}, encryptions[security]),
    element("AuthRequired", {}, "on"),
    ...(type === "SMTP" ? [element("UsePOPAuth", {}, "on"), element("SMTPLast", {}, "off")] : []),
  );
}

const documentOf = (response: Xml): string =>
  `<?xml version="1.0" encoding="utf-8"?>\n${xmlString(element("Autodiscover", { xmlns: responseNamespace }, response))}\n`;

/**
 * The settings as Autodiscover (MS-OXDSCLI). They follow from the domain and the address in the request alone; the format has no
 * OAuth 2.0 for IMAP, POP3 and SMTP.
 */
export function autodiscoverResponse(services: MailServices, address: MailAddress): string {
  const userName = userNameAt(services, address);
  const { displayName, imap, pop3, smtp } = services;
  return documentOf(
    element(
      "Response",
      { xmlns: outlookResponse },
      element("User", {}, element("DisplayName", {}, displayName)),
      element(
        "Account",
        {},
        element("AccountType", {}, "email"),
        element("Action", {}, "settings"),
        imap && protocolElement("IMAP", imap, userName),
        pop3 && protocolElement("POP3", pop3, userName),
        protocolElement("SMTP", smtp, userName),
      ),
    ),
  );
}

const errors = {
  malformed: ["600", "Invalid Request"],
  unsupported: ["601", "Requested schema version not supported"],
} as const;

/** An error (MS-OXDSCLI): the request cannot be read, or asks for another response schema. */
export function autodiscoverError(error: keyof typeof errors, nowMs: number): string {
  const [code, message] = errors[error];
  const time = new Date(nowMs).toISOString().slice(11, 19);
  return documentOf(
    element(
      "Response",
      {},
      element(
        "Error",
        { Id: "0", Time: time },
        element("ErrorCode", {}, code),
        element("Message", {}, message),
        element("DebugData", {}),
      ),
    ),
  );
}
