import { sign } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import { ns } from "../protocol/names.ts";
import type { MessageParameter } from "./redirect-query.ts";
import { rsaSha256, type Signable, type Signer, signedElement, unsignedElement } from "./sign-xml.ts";
import { element, xmlString } from "./xml-writer.ts";

/** The fields of the form that the browser posts. */
export interface PostedMessage {
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
}

export function postedMessage(
  action: string,
  parameter: MessageParameter,
  xml: string,
  relayState: string | undefined,
): PostedMessage {
  const message = Buffer.from(xml, "utf8").toString("base64");
  return {
    action,
    fields: { [parameter]: message, ...(relayState === undefined ? {} : { RelayState: relayState }) },
  };
}

/** The URL of the Redirect binding with its signature in the query (saml-bindings §3.4.4.1). */
export function redirectAddress(
  signable: Signable,
  location: string,
  message: { readonly parameter: MessageParameter; readonly relayState: string | undefined; readonly signer: Signer },
): string {
  const { parameter, relayState, signer } = message;
  const packed = deflateRawSync(xmlString(unsignedElement(signable))).toString("base64");
  const pairs: readonly (readonly [string, string | undefined])[] = [
    [parameter, packed],
    ["RelayState", relayState],
    ["SigAlg", rsaSha256],
  ];
  const octets = pairs
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
    .join("&");
  const signature = sign("sha256", Buffer.from(octets), signer.key).toString("base64");
  const separator = location.includes("?") ? "&" : "?";
  return `${location}${separator}${octets}&Signature=${encodeURIComponent(signature)}`;
}

/** The message in a SOAP envelope; the message contains its signature (saml-bindings §3.2). */
export function soapEnvelope(signable: Signable, signer: Signer): string {
  const envelope = element(
    "soap:Envelope",
    { "xmlns:soap": ns.soap },
    element("soap:Body", {}, signedElement(signable, signer)),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${xmlString(envelope)}`;
}
