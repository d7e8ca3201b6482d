import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Config } from "./sections/root.ts";
import { poolsOf } from "./sections/servers.ts";

type Service = "gateway" | "auth-engine" | "idp" | "admin" | "jobs-worker";

/** A certificate that Postern itself presents or signs with, under the key of the configuration that names it. */
export interface OwnCertificate {
  readonly key: string;
  /** Path of the PEM file; empty if the configuration holds the certificate. */
  readonly file: string;
  /** The certificate in PEM format; empty if it is in `file`. */
  readonly pem: string;
}

interface Place extends OwnCertificate {
  /** Services that use it; empty stands for all. */
  readonly services: readonly Service[];
}

const inFile = (key: string, file: string, ...services: readonly Service[]): Place => ({
  key,
  file,
  pem: "",
  services,
});

const inEither = (key: string, at: { readonly cert: string; readonly cert_file: string }): Place => ({
  ...inFile(at.cert === "" ? `${key}_file` : key, at.cert === "" ? at.cert_file : "", "idp"),
  pem: at.cert,
});

const inTls = (
  path: string,
  { enabled, cert }: Pick<Config["runtime"]["bus"]["tls"], "enabled" | "cert">,
  ...services: readonly Service[]
): Place => inFile(`${path}.cert`, enabled ? cert : "", ...services);

function ofConnections({ runtime: { servers, bus, regions }, storage }: Config): readonly Place[] {
  const { authority } = servers.grpc;
  const { roles } = storage.redis;
  return [
    inTls("runtime.servers.http.tls", servers.http.tls, "gateway"),
    ...(authority.enabled ? [inTls("runtime.servers.grpc.authority.tls", authority.tls, "gateway")] : []),
    inTls("runtime.bus.tls", bus.tls),
    ...(regions.name === "" ? [] : [inTls("runtime.regions.bus.tls", regions.bus.tls, "jobs-worker")]),
    ...Object.entries(roles).map(([role, { tls }]) => inTls(`storage.redis.roles.${role}.tls`, tls)),
  ];
}

function ofBackends({ ldap, sql, http }: Config["auth"]["backends"]): readonly Place[] {
  const pools = [...poolsOf("ldap", ldap), ...poolsOf("sql", sql), ...poolsOf("http", http)];
  return pools.map(({ path, pool }) => inFile(`${path}.tls_client_cert`, pool.tls_client_cert, "auth-engine"));
}

function ofIdentity({ saml, mail_clients: { enabled, profile } }: Config["identity"]): readonly Place[] {
  return [
    ...(saml.enabled ? [inEither("identity.saml.cert", saml)] : []),
    ...(enabled ? [inEither("identity.mail_clients.profile.cert", profile)] : []),
  ];
}

/** Postern's own certificates, each once: all, or those that one service uses. */
export function ownCertificates(config: Config, service?: string): readonly OwnCertificate[] {
  const places = [...ofConnections(config), ...ofBackends(config.auth.backends), ...ofIdentity(config.identity)];
  const own = places.filter(
    ({ file, pem, services }) =>
      file + pem !== "" &&
      (service === undefined || services.length === 0 || services.some((name) => name === service)),
  );
  return own.filter((one, index) => own.findIndex(({ file, pem }) => file === one.file && pem === one.pem) === index);
}

/** The first certificate of the chain; undefined if it cannot be read, which `postern config check` reports. */
export function readOwnCertificate({ file, pem }: OwnCertificate): X509Certificate | undefined {
  try {
    return new X509Certificate(pem === "" ? readFileSync(file) : pem);
  } catch {
    return undefined;
  }
}
