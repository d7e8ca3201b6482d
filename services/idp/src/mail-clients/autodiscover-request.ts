import { SamlRefusal } from "../saml/protocol/refusal.ts";
import { childOf, isElement, parseXml, textOf, type XmlElement } from "../saml/xml/xml-tree.ts";
import { type MailAddress, readMailAddress } from "./mail-address.ts";

/** MS-OXDSCLI */
const requestNamespace = "http://schemas.microsoft.com/exchange/autodiscover/outlook/requestschema/2006";
export const outlookResponse = "http://schemas.microsoft.com/exchange/autodiscover/outlook/responseschema/2006a";

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
