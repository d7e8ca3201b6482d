import { AppError } from "@postern/shared/platform/errors";

/** Address of a server. `tls` means TLS from the first byte (`ldaps`). */
export type ServerAddress =
  | { readonly kind: "tcp" | "tls"; readonly uri: string; readonly host: string; readonly port: number }
  | { readonly kind: "unix"; readonly uri: string; readonly path: string };

const invalid = (uri: string, why: string): AppError =>
  new AppError("CONFIG_INVALID", { detail: `LDAP server URI ${JSON.stringify(uri)}: ${why}` });

const shape = /^(?<scheme>ldaps?|ldapi):\/\/(?<authority>[^/?#]*)\/?$/i;
const hostAndPort = /^(?:\[(?<ipv6>[0-9a-f:.]+)\]|(?<name>[^:[\]@\s]+))(?::(?<port>\d{1,5}))?$/i;

/** Parses the address part of RFC 4516, and OpenLDAP's `ldapi`. Throws `CONFIG_INVALID`. */
export function parseServerUri(uri: string): ServerAddress {
  const { scheme, authority } = shape.exec(uri)?.groups ?? {};
  if (scheme === undefined || authority === undefined) {
    throw invalid(uri, "expected ldap://, ldaps:// or ldapi://, a host and a port, and nothing else");
  }
  if (scheme.toLowerCase() === "ldapi") return { kind: "unix", uri, path: socketPath(uri, authority) };
  return { kind: scheme.toLowerCase() === "ldaps" ? "tls" : "tcp", uri, ...tcpAddress(uri, scheme, authority) };
}

function tcpAddress(uri: string, scheme: string, authority: string): { host: string; port: number } {
  const { ipv6, name, port } = hostAndPort.exec(authority)?.groups ?? {};
  const host = ipv6 ?? name;
  if (host === undefined) throw invalid(uri, "expected a host");
  const number = Number(port ?? (scheme.toLowerCase() === "ldaps" ? 636 : 389));
  if (number < 1 || number > 65_535) throw invalid(uri, "port out of range");
  return { host, port: number };
}

function socketPath(uri: string, authority: string): string {
  try {
    const path = decodeURIComponent(authority);
    if (path.startsWith("/")) return path;
  } catch {
    // Reported below: both mistakes have the same remedy.
  }
  throw invalid(uri, "ldapi needs the percent-encoded absolute path of a socket");
}
