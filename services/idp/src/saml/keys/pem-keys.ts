import { createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { AppError } from "@postern/shared/platform/errors";

const pemBlock = /-----BEGIN (CERTIFICATE|PUBLIC KEY)-----[A-Za-z0-9+/=\s]+-----END \1-----/g;

export interface PemPlace {
  readonly cert: string;
  readonly cert_file: string;
}

/**
 * The certificates among them; empty if there are none. @throws AppError CONFIG_INVALID that names `of`
 */
export function certificatesOfPem({ cert, cert_file: file }: PemPlace, of: string): readonly X509Certificate[] {
  if (cert === "" && file === "") return [];
  try {
    const blocks = (cert === "" ? readFileSync(file, "utf8") : cert).match(pemBlock) ?? [];
    return blocks.filter((block) => block.startsWith("-----BEGIN CERT")).map((block) => new X509Certificate(block));
  } catch (cause) {
    throw new AppError("CONFIG_INVALID", { detail: `the certificate of ${of} cannot be read`, cause });
  }
}

/**
 * Reads the public keys or the keys of certificates; empty if not configured. @throws AppError CONFIG_INVALID that
 * names `of`
 */
export function keysOfPem({ cert, cert_file: file }: PemPlace, of: string): readonly KeyObject[] {
  if (cert === "" && file === "") return [];
  try {
    const pem = cert === "" ? readFileSync(file, "utf8") : cert;
    const blocks = pem.match(pemBlock) ?? [];
    if (blocks.length === 0) throw new TypeError("no PEM block found");
    return blocks.map((block) =>
      block.startsWith("-----BEGIN CERT") ? new X509Certificate(block).publicKey : createPublicKey(block),
    );
  } catch (cause) {
    throw new AppError("CONFIG_INVALID", { detail: `the certificate of ${of} cannot be read`, cause });
  }
}
