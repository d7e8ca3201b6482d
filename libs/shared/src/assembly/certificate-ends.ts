import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type CertificateFile, type Config, certificateFiles } from "../platform/config/index.ts";

export interface CertificateEnd {
  /** Key of the configuration that names the file. */
  readonly name: string;
  readonly endMs: number;
}

async function endOf({ key, file }: CertificateFile): Promise<readonly CertificateEnd[]> {
  try {
    return [{ name: key, endMs: new X509Certificate(await readFile(file)).validToDate.getTime() }];
  } catch {
    // Another service has it, or `postern config check` reports that it cannot be read.
    return [];
  }
}

/** When the certificates of the configuration expire that this process can read. */
export async function certificateEnds(config: Config): Promise<readonly CertificateEnd[]> {
  return (await Promise.all(certificateFiles(config).map(endOf))).flat();
}
