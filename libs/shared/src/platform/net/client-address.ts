import { canonicalIp } from "./ip.ts";

/** A client as named by a mail server or proxy. */
export interface NamedClient {
  /** In canonical form. */
  readonly address: string;
  readonly port?: string;
}

const bracketed = /^\[([^[\]]*)\](?::(\d{1,5}))?$/;
const ipv4WithPort = /^([\d.]+):(\d{1,5})$/;
const maxPort = 65_535;

function addressOf(host: string): string | undefined {
  const address = canonicalIp(host);
  // RFC 6890: neither is ever the source of a packet. Software writes them where it knows no address.
  return address === "0.0.0.0" || address === "::" ? undefined : address;
}

/**
 * Parses `192.0.2.1`, `192.0.2.1:51234`, `2001:db8::1`, `[2001:db8::1]` and `[2001:db8::1]:51234`. A mapped IPv4 address becomes the IPv4
 * address; a zone id is removed, because its sender could choose it freely. Returns undefined for anything else: host names, lists,
 * `unknown`, `-`, the unspecified addresses. Without brackets, the last group of an IPv6 address cannot be distinguished from a port and is
 * read as part of the address.
 */
export function readClientAddress(text: string): NamedClient | undefined {
  const trimmed = text.trim();
  const withPort = trimmed.includes(":") ? (bracketed.exec(trimmed) ?? ipv4WithPort.exec(trimmed)) : null;
  const [, host = trimmed, port] = withPort ?? [];
  // Brackets are only valid around IPv6 addresses; those that `bracketed` did not remove are invalid.
  if (trimmed.startsWith("[") && (withPort === null || !host.includes(":"))) return undefined;
  const address = addressOf(host);
  if (address === undefined || Number(port ?? 0) > maxPort) return undefined;
  return port === undefined ? { address } : { address, port: String(Number(port)) };
}
