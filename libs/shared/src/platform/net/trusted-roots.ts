import { readFileSync } from "node:fs";
import { getCACertificates, setDefaultCACertificates } from "node:tls";

const certificate = /-----BEGIN (?:TRUSTED )?CERTIFICATE-----[^-]+-----END (?:TRUSTED )?CERTIFICATE-----/gu;

/**
 * Trusts the CAs of a PEM file for every outgoing TLS connection of this thread that names no CAs of its own, in addition to those that
 * Node.js trusts. Nothing for an empty path.
 *
 * @throws if the file cannot be read
 */
export function addTrustedRoots(file: string): void {
  if (file === "") return;
  const added = readFileSync(file, "utf8").match(certificate) ?? [];
  setDefaultCACertificates([...new Set([...getCACertificates("default"), ...added])]);
}
