import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, X509Certificate } from "node:crypto";
import { promisify } from "node:util";

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

/** A key that Postern generated, with its certificate, both in PEM. */
export type GeneratedKey = Readonly<Awaited<ReturnType<typeof makeKey>>>;

export interface KeyRotation {
  /** 0: keys are not rotated. */
  readonly intervalMs: number;
  /** How long a key is in the metadata before its first and after its last signature. */
  readonly publishMs: number;
}

export function derOf(certificate: string): string {
  return new X509Certificate(certificate).raw.toString("base64");
}

const generate = promisify(generateKeyPair);

export async function makeKey(name: string, nowMs: number) {
  const { privateKey } = await generate("rsa", { modulusLength: 2048 });
  const key = privateKey.export({ type: "pkcs8", format: "pem" });
  return { key, certificate: await selfSignedCertificate(privateKey, name, nowMs), createdAtMs: nowMs };
}

/** Newest first. */
function ordered(keys: readonly GeneratedKey[]): readonly GeneratedKey[] {
  return keys.toSorted((a, b) => b.createdAtMs - a.createdAtMs);
}

export function isKeyDue(keys: readonly GeneratedKey[], { intervalMs }: KeyRotation, nowMs: number): boolean {
  const [newest] = ordered(keys);
  return newest === undefined || (intervalMs > 0 && nowMs - newest.createdAtMs >= intervalMs);
}

/** Selects the newest key that was published long enough, or else the oldest. */
function signingKeyOf(
  keys: readonly GeneratedKey[],
  { publishMs }: KeyRotation,
  nowMs: number,
): GeneratedKey | undefined {
  const all = ordered(keys);
  return all.find(({ createdAtMs }) => nowMs - createdAtMs >= publishMs) ?? all.at(-1);
}

/** Removes keys that have not signed for `publishMs`. */
export function withoutFormer(
  keys: readonly GeneratedKey[],
  rotation: KeyRotation,
  nowMs: number,
): readonly GeneratedKey[] {
  const signing = signingKeyOf(keys, rotation, nowMs);
  const former = signingKeyOf(keys, rotation, nowMs - rotation.publishMs);
  return ordered(keys).filter(
    ({ createdAtMs }) => createdAtMs >= Math.min(signing?.createdAtMs ?? 0, former?.createdAtMs ?? 0),
  );
}

/** The key that signs now, and all certificates that the metadata contain, in Base64 of the DER. @throws TypeError if there are no keys */
export function usableKeys(keys: readonly GeneratedKey[], rotation: KeyRotation, nowMs: number) {
  const signing = signingKeyOf(keys, rotation, nowMs);
  if (signing === undefined) throw new TypeError("no SAML signing key");
  const others = ordered(keys).filter((key) => key !== signing);
  return {
    key: createPrivateKey(signing.key),
    certificate: derOf(signing.certificate),
    published: [signing, ...others].map(({ certificate }) => derOf(certificate)),
  };
}

export type SamlKeys = Readonly<ReturnType<typeof usableKeys>>;
