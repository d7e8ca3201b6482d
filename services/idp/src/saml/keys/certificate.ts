import { createPublicKey, type KeyObject } from "node:crypto";

const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
const dayMs = 86_400_000;
/** RFC 5280, appendix A. */
const maxNameLength = 64;

/**
 * A self-signed certificate for an RSA key, valid for ten years, because SAML metadata carries keys in certificates.
 * A service provider that trusts it trusts the metadata: its names and times are not checked (saml-metadata-interoperability §2).
 */
export async function selfSignedCertificate(key: KeyObject, name: string, nowMs: number): Promise<string> {
  // Loaded when a key is made, which is rare, because they cost memory from the start. @peculiar/x509 needs reflect-metadata first.
  await import("reflect-metadata");
  const { BasicConstraintsExtension, X509CertificateGenerator } = await import("@peculiar/x509");
  const { subtle } = globalThis.crypto;
  const pkcs8 = key.export({ type: "pkcs8", format: "der" });
  const spki = createPublicKey(key).export({ type: "spki", format: "der" });
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [name.slice(0, maxNameLength)] }],
    extensions: [new BasicConstraintsExtension(false)],
    notBefore: new Date(nowMs - dayMs),
    notAfter: new Date(nowMs + 10 * 365 * dayMs),
    signingAlgorithm: algorithm,
    keys: {
      privateKey: await subtle.importKey("pkcs8", pkcs8, algorithm, false, ["sign"]),
      publicKey: await subtle.importKey("spki", spki, algorithm, true, ["verify"]),
    },
  });
  return `${certificate.toString("pem")}\n`;
}
