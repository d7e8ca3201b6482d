import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

/** Self-signed, as `NAME.crt` and `NAME.key` in the folder. */
export async function makeCertificate(folder: string, name: string, subject: string): Promise<void> {
  const out = ["-keyout", join(folder, `${name}.key`), "-out", join(folder, `${name}.crt`)];
  await run("openssl", ["req", "-x509", ...newKey, "-days", "1", "-subj", subject, ...out]);
}

/** A certificate signed by `issuer`, a certificate of the same folder. */
export async function makeSignedCertificate(
  folder: string,
  { name, subject, issuer }: { readonly name: string; readonly subject: string; readonly issuer: string },
): Promise<void> {
  const file = (suffix: string): string => join(folder, suffix);
  const requested = ["-keyout", file(`${name}.key`), "-out", file(`${name}.csr`)];
  await run("openssl", ["req", ...newKey, "-subj", subject, ...requested]);
  await writeFile(file(`${name}.ext`), "extendedKeyUsage = clientAuth\n");
  const signed = ["-in", file(`${name}.csr`), "-out", file(`${name}.crt`), "-extfile", file(`${name}.ext`)];
  const by = ["-CA", file(`${issuer}.crt`), "-CAkey", file(`${issuer}.key`), "-set_serial", "4711"];
  await run("openssl", ["x509", "-req", "-days", "1", ...signed, ...by]);
}
