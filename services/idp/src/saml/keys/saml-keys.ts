import { createPrivateKey, generateKeyPair, type KeyObject, X509Certificate } from "node:crypto";
import { promisify } from "node:util";
import { selfSignedCertificate } from "./certificate.ts";

/** A key that is or was made here, with its certificate. */
export interface MadeKey {
  /** PEM. */
  readonly key: string;
  /** PEM. */
  readonly certificate: string;
  readonly createdAtMs: number;
}

/** What signs now, and every certificate that the metadata names. */
export interface SamlKeys {
  readonly key: KeyObject;
  /** Base64 of the DER. */
  readonly certificate: string;
  readonly published: readonly string[];
}

export interface KeyRotation {
  /** 0: a key has no successor. */
  readonly intervalMs: number;
  /** In the metadata before a key signs, and after it has. */
  readonly publishMs: number;
}

export function derOf(certificate: string): string {
  return new X509Certificate(certificate).raw.toString("base64");
}

const generate = promisify(generateKeyPair);

export async function makeKey(name: string, nowMs: number): Promise<MadeKey> {
  const { privateKey } = await generate("rsa", { modulusLength: 2048 });
  const key = privateKey.export({ type: "pkcs8", format: "pem" });
  return { key, certificate: selfSignedCertificate(privateKey, name, nowMs), createdAtMs: nowMs };
}

/** Newest first, whatever they come in. */
function ordered(keys: readonly MadeKey[]): readonly MadeKey[] {
  return keys.toSorted((a, b) => b.createdAtMs - a.createdAtMs);
}

export function isKeyDue(keys: readonly MadeKey[], { intervalMs }: KeyRotation, nowMs: number): boolean {
  const [newest] = ordered(keys);
  return newest === undefined || (intervalMs > 0 && nowMs - newest.createdAtMs >= intervalMs);
}

/** The newest key that was published long enough signs; while none was, the oldest does. */
function signingKeyOf(keys: readonly MadeKey[], { publishMs }: KeyRotation, nowMs: number): MadeKey | undefined {
  const all = ordered(keys);
  return all.find(({ createdAtMs }) => nowMs - createdAtMs >= publishMs) ?? all.at(-1);
}

/** Without the keys that have not signed for `publishMs`. */
export function withoutFormer(keys: readonly MadeKey[], rotation: KeyRotation, nowMs: number): readonly MadeKey[] {
  const signing = signingKeyOf(keys, rotation, nowMs);
  const former = signingKeyOf(keys, rotation, nowMs - rotation.publishMs);
  return ordered(keys).filter(
    ({ createdAtMs }) => createdAtMs >= Math.min(signing?.createdAtMs ?? 0, former?.createdAtMs ?? 0),
  );
}

/** @throws TypeError for no keys */
export function usableKeys(keys: readonly MadeKey[], rotation: KeyRotation, nowMs: number): SamlKeys {
  const signing = signingKeyOf(keys, rotation, nowMs);
  if (signing === undefined) throw new TypeError("no SAML signing key");
  const others = ordered(keys).filter((key) => key !== signing);
  return {
    key: createPrivateKey(signing.key),
    certificate: derOf(signing.certificate),
    published: [signing, ...others].map(({ certificate }) => derOf(certificate)),
  };
}
