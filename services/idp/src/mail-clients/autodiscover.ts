import type { MailServer, MailServices } from "@postern/shared/domain/mail-clients";
import { SamlRefusal } from "../saml/protocol/refusal.ts";
import { childOf, isElement, parseXml, textOf, type XmlElement } from "../saml/xml/xml-tree.ts";
import { element, type Xml, xmlString } from "../saml/xml/xml-writer.ts";
import { type MailAddress, readMailAddress, userNameAt } from "./mail-address.ts";

/** MS-OXDSCLI */
const requestNamespace = "http://schemas.microsoft.com/exchange/autodiscover/outlook/requestschema/2006";
const outlookResponse = "http://schemas.microsoft.com/exchange/autodiscover/outlook/responseschema/2006a";

/** Clients send four elements. */
const rules = Object.freeze({
  documentBytes: 16_384,
  depth: 8,
  nodes: 64,
  attributesOfElement: 16,
  allowsComments: false,
});

const utf8 = new TextDecoder("utf-8", { fatal: true });

export type AutodiscoverRequest =
  | { readonly outcome: "ok"; readonly address: MailAddress }
  /** The client asks for another schema, such as that of ActiveSync. */
  | { readonly outcome: "unsupported" }
  | { readonly outcome: "malformed"; readonly reason: string };

const malformed = (reason: string): AutodiscoverRequest => ({ outcome: "malformed", reason });

function readElements(root: XmlElement): AutodiscoverRequest {
  if (root.name !== "Autodiscover") return malformed("the root element is not Autodiscover");
  if (!isElement(root, requestNamespace, "Autodiscover")) return { outcome: "unsupported" };
  const request = childOf(root, requestNamespace, "Request");
  if (request === undefined) return malformed("no Request");
  const schema = childOf(request, requestNamespace, "AcceptableResponseSchema");
  if (schema !== undefined && textOf(schema) !== outlookResponse) return { outcome: "unsupported" };
  const written = childOf(request, requestNamespace, "EMailAddress");
  const address = written === undefined ? undefined : readMailAddress(textOf(written));
  return address === undefined ? malformed("no mail address") : { outcome: "ok", address };
}

/** Reads a request of MS-OXDSCLI: strict XML of at most 16 KiB, without a DTD or custom entities. */
export function readAutodiscoverRequest(body: Uint8Array): AutodiscoverRequest {
  try {
    return readElements(parseXml(utf8.decode(body), rules));
  } catch (error) {
    if (error instanceof SamlRefusal) return malformed(`${error.reason}: ${error.message}`.slice(0, 200));
    if (error instanceof TypeError) return malformed("not UTF-8");
    throw error;
  }
}

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
