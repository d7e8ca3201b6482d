import { type KeyObject, X509Certificate } from "node:crypto";
import type { OidcClientConfig } from "@postern/shared/platform/config";
import type { ClientCertificate } from "@postern/shared/platform/http";
import type { ClientKeySets } from "./client-key-sets.ts";
import { algorithmsOf } from "./client-keys.ts";
import type { ClientPolicy } from "./clients.ts";

/** An attribute of a name: type in upper case, value without escapes. */
type Attribute = readonly [type: string, value: string];

const hexByte = /^[0-9A-Fa-f]{2}$/;

/** Undoes the escapes of RFC 4514 §2.4. Undefined for a value that is not text, or that ends within an escape. */
function unescaped(text: string): string | undefined {
  if (text.startsWith("#")) return undefined;
  const bytes: Buffer[] = [];
  for (let at = 0; at < text.length; ) {
    const [letter = ""] = text.slice(at);
    if (letter !== "\\") {
      bytes.push(Buffer.from(letter));
      at += letter.length;
      continue;
    }
    const hex = text.slice(at + 1, at + 3);
    const [next] = text.slice(at + 1);
    if (next === undefined) return undefined;
    bytes.push(hexByte.test(hex) ? Buffer.from(hex, "hex") : Buffer.from(next));
    at += 1 + (hexByte.test(hex) ? 2 : next.length);
  }
  return Buffer.concat(bytes).toString("utf8");
}

/** Parts between separators that no backslash precedes. */
function split(text: string, separator: string): readonly string[] {
  const parts: string[] = [];
  let part = "";
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (letter === "\\") {
      part += letter + text.charAt(at + 1);
      at += 1;
    } else if (letter === separator) {
      parts.push(part);
      part = "";
    } else part += letter;
  }
  return [...parts, part];
}

/** Whether the text ends with a backslash that no other one escapes. */
const endsInEscape = /(?:^|[^\\])(?:\\\\)*\\$/;

/** Spaces around an attribute do not belong to it, unless a backslash precedes the last one. */
function trimmed(text: string): string {
  const end = text.replaceAll(/^ +| +$/g, "");
  return endsInEscape.test(end) && text.endsWith(" ") ? `${end} ` : end;
}

function attributeOf(text: string): Attribute | undefined {
  const equals = text.indexOf("=");
  if (equals < 1) return undefined;
  const value = unescaped(trimmed(text.slice(equals + 1)));
  return value === undefined ? undefined : [text.slice(0, equals).trim().toUpperCase(), value];
}

/** One relative name: its attributes in an order that does not depend on how they are written. */
function relativeName(text: string): string | undefined {
  const attributes = split(text, "+").map((part) => attributeOf(part));
  if (attributes.includes(undefined)) return undefined;
  return JSON.stringify(attributes.map((attribute) => JSON.stringify(attribute)).toSorted());
}

/**
 * Whether a name in the form of RFC 4514 (most specific part first) is the subject of a certificate as Node prints it: one
 * line for each part, most general part first. Values are compared exactly.
 */
export function matchesSubject(name: string, subject: string): boolean {
  const wanted = split(name, ",").map((part) => relativeName(part));
  const found = subject.split("\n").map((line) => relativeName(line));
  if (wanted.includes(undefined) || found.includes(undefined)) return false;
  return JSON.stringify(wanted) === JSON.stringify(found.toReversed());
}

/** Why a certificate is refused, for the log. */
export type CertificateRefusal = "no_certificate" | "untrusted_certificate" | "wrong_certificate";

/** The certificate; undefined if it cannot be read. */
export function readCertificate(certificate: ClientCertificate | undefined): X509Certificate | undefined {
  if (certificate === undefined) return undefined;
  try {
    return new X509Certificate(Buffer.from(certificate.der, "base64url"));
  } catch {
    return undefined;
  }
}

/** A name that Node prints with quotes contains separators, and never equals one of these. */
function hasUri({ subjectAltName = "" }: X509Certificate, uri: string): boolean {
  return subjectAltName.split(", ").includes(`URI:${uri}`);
}

/** RFC 8705 §2.1.2: the name in the registration is the certificate's subject, or one of its alternative names. */
function isSubjectOf(certificate: X509Certificate, config: OidcClientConfig): boolean {
  const exact = { subject: "never", wildcards: false } as const;
  const { tls_client_auth_subject_dn: dn, tls_client_auth_san_dns: dns, tls_client_auth_san_uri: uri } = config;
  const { tls_client_auth_san_ip: ip, tls_client_auth_san_email: email } = config;
  if (dn !== "") return matchesSubject(dn, certificate.subject);
  if (dns !== "") return certificate.checkHost(dns, exact) !== undefined;
  if (uri !== "") return hasUri(certificate, uri);
  if (ip !== "") return certificate.checkIP(ip) !== undefined;
  return email !== "" && certificate.checkEmail(email, exact) !== undefined;
}

function isAmong(keys: readonly { readonly key: KeyObject }[], wanted: KeyObject): boolean {
  return keys.some(({ key }) => key.equals(wanted));
}

/** RFC 8705 §2.2: the certificate's key is one that the client has registered, or publishes. */
async function isRegistered(
  { publicKey }: X509Certificate,
  { keys, config }: ClientPolicy,
  keySets: ClientKeySets,
): Promise<boolean> {
  if (isAmong(keys, publicKey)) return true;
  const alg = algorithmsOf(publicKey).at(0);
  const { jwks_uri: uri } = config;
  if (uri === "" || alg === undefined) return false;
  const wanted = { alg, kid: undefined };
  if (isAmong(await keySets.find(uri, wanted), publicKey)) return true;
  return isAmong(await keySets.findAnew(uri, wanted), publicKey);
}

/**
 * Checks the certificate of a client that authenticates by it.
 *
 * @throws AppError UPSTREAM_UNAVAILABLE when the client's published keys are needed and cannot be read
 */
export async function certificateFault(
  presented: ClientCertificate | undefined,
  policy: ClientPolicy,
  keySets: ClientKeySets,
): Promise<CertificateRefusal | undefined> {
  const certificate = readCertificate(presented);
  if (presented === undefined || certificate === undefined) return "no_certificate";
  if (policy.config.token_endpoint_auth_method === "self_signed_tls_client_auth") {
    return (await isRegistered(certificate, policy, keySets)) ? undefined : "wrong_certificate";
  }
  if (!presented.isVerified) return "untrusted_certificate";
  return isSubjectOf(certificate, policy.config) ? undefined : "wrong_certificate";
}
