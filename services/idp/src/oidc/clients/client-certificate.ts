import { type KeyObject, X509Certificate } from "node:crypto";
import type { OidcClientConfig } from "@postern/shared/platform/config";
import type { ClientCertificate } from "@postern/shared/platform/http";
import type { ClientKeySets } from "./client-key-sets.ts";
import { type AssertionAlgorithm, algorithmsOf } from "./client-keys.ts";
import type { ClientPolicy } from "./clients.ts";
import { matchesSubject } from "./distinguished-name.ts";

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
  const [alg]: readonly (AssertionAlgorithm | undefined)[] = algorithmsOf(publicKey);
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
