/** An address to listen on or to connect to. */
export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** Parses `127.0.0.1:8080`, `[::1]:8080` and `:8080` (all addresses); undefined for anything else. */
export function parseHostPort(text: string): HostPort | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text.trim());
  if (match === null) return undefined;
  const port = Number(match[3]);
  if (port > 65_535) return undefined;
  const host = match[1] ?? match[2] ?? "";
  return { host: host === "" ? "::" : host, port };
}
