import { open, readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import type { PreflightCheck } from "./run-checks.ts";

/** Paths of PEM files; empty: none. */
interface TlsFiles {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

async function read(file: string | undefined): Promise<Buffer | undefined> {
  return file === undefined || file === "" ? undefined : readFile(file);
}

async function assertCertificates(file: string | undefined, mayBeEmpty = false): Promise<void> {
  const pem = await read(file);
  if (pem !== undefined && !(mayBeEmpty && pem.length === 0) && !pem.includes("-----BEGIN "))
    throw new TypeError(`${file} contains no PEM certificate`);
}

/** Checks that the files exist and that certificate and key match. `keys` are the names below `path`. */
export function tlsCheck(
  path: string,
  { ca, cert, key }: TlsFiles,
  keys: { readonly ca: string; readonly cert: string },
): readonly PreflightCheck[] {
  return [
    ...(ca ? [{ path: `${path}.${keys.ca}`, run: () => assertCertificates(ca) }] : []),
    ...(cert || key
      ? [
          {
            path: `${path}.${keys.cert}`,
            isSecret: true,
            run: async () => createSecureContext({ cert: await read(cert), key: await read(key) }),
          },
        ]
      : []),
  ];
}

/** Checks a file of CA certificates that are trusted in addition to others; an empty file adds none. */
export function addedRootsCheck(path: string, file: string): readonly PreflightCheck[] {
  return file === "" ? [] : [{ path, run: () => assertCertificates(file, true) }];
}

/** Checks that a file can be opened, if one is configured. */
export function readableFile(path: string, file: string, isSecret = false): readonly PreflightCheck[] {
  if (file === "") return [];
  return [
    {
      path,
      isSecret,
      run: async () => {
        await using opened = await open(file, "r");
        await opened.stat();
      },
    },
  ];
}
