import { isIPv4, isIPv6 } from "node:net";
import type { HostPort } from "@postern/shared/platform/net";

/** What the first bytes of a connection say. */
export type ProxyHeader =
  | { readonly kind: "incomplete" }
  | { readonly kind: "invalid" }
  | {
      readonly kind: "complete";
      /** Bytes of the header; the client's own bytes follow. */
      readonly length: number;
      /** The client's end of the connection to the proxy. Absent if the proxy speaks for itself (a health check) or does not know. */
      readonly source?: HostPort;
    };

/** The longest line of version 1, with CR and LF (PROXY protocol specification, section 2.1). */
const maxLineBytes = 107;
/** Longest header of version 2: addresses, and extensions such as the proxy's TLS session. */
export const maxHeaderBytes = 2048;

const linePrefix = Buffer.from("PROXY ", "latin1");
const signature = Buffer.from("0d0a0d0a000d0a515549540a", "hex");
const fixedBytes = 16;

const command = { local: 0, proxy: 1 } as const;
/** Address family and transport of version 2, with the offsets of source address and port after the fixed part. */
const families = {
  0x11: { addressBytes: 4, portAt: 8, totalBytes: 12 },
  0x21: { addressBytes: 16, portAt: 32, totalBytes: 36 },
} as const;

const incomplete: ProxyHeader = { kind: "incomplete" };
const invalid: ProxyHeader = { kind: "invalid" };

/** Whether bytes, which may be fewer, begin with a prefix. */
function mayBegin(bytes: Buffer, prefix: Buffer): boolean {
  const length = Math.min(bytes.length, prefix.length);
  return bytes.subarray(0, length).equals(prefix.subarray(0, length));
}

const port = "(0|[1-9]\\d{0,4})";
const lineForm = new RegExp(`^PROXY (TCP4|TCP6) (\\S+) (\\S+) ${port} ${port}$`, "u");
const isAddressOf = { TCP4: isIPv4, TCP6: isIPv6 } as const;
const maxPort = 65_535;

/** A line without CR and LF. Undefined if it is invalid. */
function sourceOfLine(line: string): HostPort | undefined {
  const [, family, host = "", to = "", from, toPort] = lineForm.exec(line) ?? [];
  if (family !== "TCP4" && family !== "TCP6") return undefined;
  const isAddress = isAddressOf[family];
  const areValid = isAddress(host) && isAddress(to) && Math.max(Number(from), Number(toPort)) <= maxPort;
  return areValid ? { host, port: Number(from) } : undefined;
}

/** `PROXY TCP4 192.0.2.1 198.51.100.1 56324 443`, or `PROXY UNKNOWN` with anything behind it. */
function readLine(bytes: Buffer): ProxyHeader {
  const end = bytes.subarray(0, maxLineBytes).indexOf("\r\n");
  if (end === -1) return bytes.length < maxLineBytes ? incomplete : invalid;
  const line = bytes.toString("latin1", 0, end);
  const length = end + 2;
  if (/^PROXY UNKNOWN(?: |$)/u.test(line)) return { kind: "complete", length };
  const source = sourceOfLine(line);
  return source === undefined ? invalid : { kind: "complete", length, source };
}

function addressOf(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join(".");
  return Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(2 * index).toString(16)).join(":");
}

function readBinary(bytes: Buffer): ProxyHeader {
  if (bytes.length < fixedBytes) return incomplete;
  const versionAndCommand = bytes.readUInt8(12);
  const familyAndTransport = bytes.readUInt8(13);
  const length = fixedBytes + bytes.readUInt16BE(14);
  const commandCode = versionAndCommand & 0x0f;
  if (versionAndCommand >> 4 !== 2 || commandCode > command.proxy || length > maxHeaderBytes) return invalid;
  if (bytes.length < length) return incomplete;
  if (commandCode === command.local) return { kind: "complete", length };
  // Any other family is one whose source cannot be a client of ours: the specification has the receiver ignore it.
  const family = familyAndTransport === 0x11 || familyAndTransport === 0x21 ? families[familyAndTransport] : undefined;
  if (family === undefined) return { kind: "complete", length };
  const addresses = bytes.subarray(fixedBytes, length);
  if (addresses.length < family.totalBytes) return invalid;
  const host = addressOf(addresses.subarray(0, family.addressBytes));
  return { kind: "complete", length, source: { host, port: addresses.readUInt16BE(family.portAt) } };
}

/**
 * Reads the PROXY protocol header, version 1 or 2, with which a connection begins (HAProxy, proxy-protocol.txt, section 2).
 *
 * @param bytes all bytes received so far
 */
export function readProxyHeader(bytes: Buffer): ProxyHeader {
  if (bytes.length === 0) return incomplete;
  if (mayBegin(bytes, signature)) return bytes.length < signature.length ? incomplete : readBinary(bytes);
  if (mayBegin(bytes, linePrefix)) return bytes.length < linePrefix.length ? incomplete : readLine(bytes);
  return invalid;
}
