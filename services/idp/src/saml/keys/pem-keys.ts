import { createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { AppError } from "@postern/shared/platform/errors";

const pemBlock = /-----BEGIN (CERTIFICATE|PUBLIC KEY)-----[A-Za-z0-9+/=\s]+-----END \1-----/g;

interface PemPlace {
  readonly cert: string;
  readonly cert_file: string;
}

const isCertificate = (block: string): boolean => block.startsWith("-----BEGIN CERT");

/** Empty if nothing is configured. @throws AppError CONFIG_INVALID that names `of` */
function readBlocks<T>(
  { cert, cert_file: file }: PemPlace,
  of: string,
  read: (blocks: readonly string[]) => readonly T[],
): readonly T[] {
  if (cert === "" && file === "") return [];
  try {
    return read((cert === "" ? readFileSync(file, "utf8") : cert).match(pemBlock) ?? []);
  } catch (cause) {
    throw new AppError("CONFIG_INVALID", { detail: `the certificate of ${of} cannot be read`, cause });
  }
}

/** The certificates among them; empty if there are none. @throws AppError CONFIG_INVALID that names `of` */
export function certificatesOfPem(place: PemPlace, of: string): readonly X509Certificate[] {
  return readBlocks(place, of, (blocks) => blocks.filter(isCertificate).map((block) => new X509Certificate(block)));
}

/**
 * Reads the public keys or the keys of certificates; empty if not configured. @throws AppError CONFIG_INVALID that
 * names `of`
 */
export function keysOfPem(place: PemPlace, of: string): readonly KeyObject[] {
  return readBlocks(place, of, (blocks) => {
    if (blocks.length === 0) throw new TypeError("no PEM block found");
    return blocks.map((block) =>
      isCertificate(block) ? new X509Certificate(block).publicKey : createPublicKey(block),
    );
  });
}
