import { readFile } from "node:fs/promises";
import type { LdapPoolConfig } from "@postern/shared/platform/config";
import type { Secret } from "@postern/shared/platform/crypto";

/** What a function makes of the configuration: read only, and without the members that the site did not set. */
export type Settings<T> = T extends Secret
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Settings<Item>[]
    : T extends object
      ? { readonly [K in keyof T as undefined extends T[K] ? never : K]: Settings<T[K]> } & {
          readonly [K in keyof T as undefined extends T[K] ? K : never]?: Settings<T[K]>;
        }
      : T;

export function optional(text: string): string | undefined {
  return text === "" ? undefined : text;
}

type BreakerConfig = Pick<LdapPoolConfig, "cb_failure_threshold" | "cb_cooldown" | "cb_half_open_max">;

export function breakerSettings(pool: BreakerConfig) {
  return {
    failureThreshold: pool.cb_failure_threshold,
    cooldownMs: pool.cb_cooldown,
    halfOpenMax: pool.cb_half_open_max,
  };
}

type TlsConfig = Pick<LdapPoolConfig, "tls_ca_cert" | "tls_client_cert" | "tls_client_key" | "tls_skip_verify">;

/** Names of PEM files, and whether the server's certificate is verified. */
export function tlsSettings(pool: TlsConfig) {
  return {
    caCertFile: optional(pool.tls_ca_cert),
    certFile: optional(pool.tls_client_cert),
    keyFile: optional(pool.tls_client_key),
    skipVerify: pool.tls_skip_verify,
  };
}

export type TlsSettings = Settings<ReturnType<typeof tlsSettings>>;

const readIfNamed = async (file: string | undefined): Promise<Buffer | undefined> =>
  file === undefined || file === "" ? undefined : readFile(file);

/** Options for a TLS connection. The files are read for each one, so that a renewed certificate needs no restart. */
export async function readTlsFiles({ caCertFile, certFile, keyFile, skipVerify }: TlsSettings) {
  const [ca, cert, key] = await Promise.all([caCertFile, certFile, keyFile].map(readIfNamed));
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    rejectUnauthorized: !skipVerify,
  };
}
