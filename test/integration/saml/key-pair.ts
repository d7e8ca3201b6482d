import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

export interface KeyPair {
  readonly key: string;
  readonly cert: string;
}

/** An RSA key and its certificate, as PEM. */
export async function keyPair(folder: string, name: string): Promise<KeyPair> {
  const [keyFile, certFile] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)];
  const args = ["-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", `/CN=${name}`];
  await promisify(execFile)("openssl", ["req", "-x509", ...args, "-keyout", keyFile, "-out", certFile]);
  return { key: await readFile(keyFile, "utf8"), cert: await readFile(certFile, "utf8") };
}
