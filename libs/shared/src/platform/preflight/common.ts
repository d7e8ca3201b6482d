import { open, readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import type { Config, HttpPoolConfig, LdapPoolConfig, SqlPoolConfig } from "../config/index.ts";
import type { PreflightCheck } from "./run-checks.ts";

async function read(file: string): Promise<Buffer | undefined> {
  return file === "" ? undefined : readFile(file);
}

/** An empty file of certificates that are trusted in addition to others adds none. */
function certificatesCheck(path: string, file: string, mayBeEmpty = false): readonly PreflightCheck[] {
  if (file === "") return [];
  const run = async (): Promise<void> => {
    const pem = await readFile(file);
    if (!(mayBeEmpty && pem.length === 0) && !pem.includes("-----BEGIN "))
      throw new TypeError(`${file} contains no PEM certificate`);
  };
  return [{ path, run }];
}

/** Checks that the files exist and that certificate and key match: those of the section at `path`, by the names of its keys. */
function tlsCheck<Name extends string>(
  path: string,
  section: Readonly<Record<Name, string>>,
  [ca, cert, key]: readonly [ca: Name, cert: Name, key: Name],
): readonly PreflightCheck[] {
  const run = async () => createSecureContext({ cert: await read(section[cert]), key: await read(section[key]) });
  return [
    ...certificatesCheck(`${path}.${ca}`, section[ca]),
    ...(section[cert] === "" && section[key] === "" ? [] : [{ path: `${path}.${cert}`, isSecret: true, run }]),
  ];
}

/** The TLS files of a pool of `auth.backends`. */
export const poolTlsCheck = (path: string, pool: SqlPoolConfig | LdapPoolConfig | HttpPoolConfig) =>
  tlsCheck(path, pool, ["tls_ca_cert", "tls_client_cert", "tls_client_key"]);

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
const tlsKeys = ["ca_file", "cert", "key"] as const;

function redisChecks({ storage }: Config): readonly PreflightCheck[] {
  return redisRoles.flatMap((role) => {
    const { tls, url } = storage.redis.roles[role];
    if (!tls.enabled && !url.startsWith("rediss://")) return [];
    return tlsCheck(`storage.redis.roles.${role}.tls`, tls, tlsKeys);
  });
}

function tracingChecks({ observability: { tracing } }: Config): readonly PreflightCheck[] {
  return tracing.enabled ? tlsCheck("observability.tracing.tls", tracing.tls, tlsKeys) : [];
}

function busChecks(
  path: string,
  bus: Pick<Config["runtime"]["bus"], "tls" | "credentials_file">,
): readonly PreflightCheck[] {
  const { tls, credentials_file: credentials } = bus;
  return [
    ...readableFile(`${path}.credentials_file`, credentials, true),
    ...(tls.enabled ? tlsCheck(`${path}.tls`, tls, tlsKeys) : []),
  ];
}

/** Files that a service opens for its connection to the NATS that joins the regions. */
export function regionChecks({ runtime: { regions } }: Config): readonly PreflightCheck[] {
  return regions.name === "" ? [] : busChecks("runtime.regions.bus", regions.bus);
}

/** Files that every service opens for its connections to NATS, Redis and the receiver of traces. */
export function commonChecks(config: Config): readonly PreflightCheck[] {
  return [
    ...certificatesCheck("runtime.outgoing_tls.ca_file", config.runtime.outgoing_tls.ca_file, true),
    ...busChecks("runtime.bus", config.runtime.bus),
    ...redisChecks(config),
    ...tracingChecks(config),
  ];
}

/** Without NATS, a process has an engine and the services that ask it, because no other process can reach it. */
export function busServersCheck(config: Config, services: readonly string[]): PreflightCheck {
  return {
    path: "runtime.bus.servers",
    run: () => {
      if (config.runtime.bus.servers.length > 0 || (services.length > 1 && services.includes("auth-engine"))) return;
      throw new RangeError(
        `must name the NATS servers, because ${services.join(", ")} alone is not a whole site; without NATS, run the services in one process (postern serve)`,
      );
    },
  };
}
