import { open, readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import type { Config } from "../config/index.ts";
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
function addedRootsCheck(path: string, file: string): readonly PreflightCheck[] {
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

const redisRoles = ["state", "queue", "cache"] as const;
const tlsKeys = { ca: "ca_file", cert: "cert" };

function redisChecks({ storage }: Config): readonly PreflightCheck[] {
  return redisRoles.flatMap((role) => {
    const { tls, url } = storage.redis.roles[role];
    if (!tls.enabled && !url.startsWith("rediss://")) return [];
    const files = { ca: tls.ca_file, cert: tls.cert, key: tls.key };
    return tlsCheck(`storage.redis.roles.${role}.tls`, files, tlsKeys);
  });
}

function tracingChecks({ observability: { tracing } }: Config): readonly PreflightCheck[] {
  const { enabled, tls } = tracing;
  if (!enabled) return [];
  return tlsCheck("observability.tracing.tls", { ca: tls.ca_file, cert: tls.cert, key: tls.key }, tlsKeys);
}

function busChecks(
  path: string,
  bus: Pick<Config["runtime"]["bus"], "tls" | "credentials_file">,
): readonly PreflightCheck[] {
  const { tls, credentials_file: credentials } = bus;
  const files = { ca: tls.ca_file, cert: tls.cert, key: tls.key };
  return [
    ...readableFile(`${path}.credentials_file`, credentials, true),
    ...(tls.enabled ? tlsCheck(`${path}.tls`, files, tlsKeys) : []),
  ];
}

/** Files that a service opens for its connection to the NATS that joins the regions. */
export function regionChecks({ runtime: { regions } }: Config): readonly PreflightCheck[] {
  return regions.name === "" ? [] : busChecks("runtime.regions.bus", regions.bus);
}

/** Files that every service opens for its connections to NATS, Redis and the receiver of traces. */
export function commonChecks(config: Config): readonly PreflightCheck[] {
  return [
    ...addedRootsCheck("runtime.outgoing_tls.ca_file", config.runtime.outgoing_tls.ca_file),
    ...busChecks("runtime.bus", config.runtime.bus),
    ...redisChecks(config),
    ...tracingChecks(config),
  ];
}
