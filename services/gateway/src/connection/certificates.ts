import { X509Certificate } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, RequestListener } from "node:http";
import { TLSSocket } from "node:tls";
import type { ClientCertificate } from "@postern/shared/platform/http";
import type { Logger } from "@postern/shared/platform/logging";
import { systemClock } from "@postern/shared/platform/time";
import type { FastifyRequest } from "fastify";
import { decodePercents } from "../http/percent-decode.ts";
import { createQuietWarn } from "./quiet-log.ts";

/** Names of headers in lower case; empty for none. */
export type CertificateHeaders = { readonly certificate: string; readonly verify: string };

type CertifiedRequest = Pick<FastifyRequest, "raw" | "id">;

/** Large enough for a certificate with a long RSA key and many names, small enough for the header of the assertion. */
const longestDer = 8192;

function derOf(bytes: Buffer): Buffer | undefined {
  if (bytes.length === 0 || bytes.length > longestDer) return undefined;
  try {
    return new X509Certificate(bytes).raw;
  } catch {
    return undefined;
  }
}

/** Base64 of DER between colons (RFC 9440 §2.1), or PEM with percent-encoding. Undefined if it is neither. */
export function certificateInHeader(value: string): Buffer | undefined {
  const base64 = /^:([A-Za-z0-9+/]+={0,2}):$/.exec(value)?.[1];
  if (base64 !== undefined) return derOf(Buffer.from(base64, "base64"));
  const pem = decodePercents(value) ?? "";
  return pem.includes("-----BEGIN CERTIFICATE-----") ? derOf(Buffer.from(pem)) : undefined;
}

function certificateOfHandshake(socket: unknown): ClientCertificate | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const raw = socket.getPeerX509Certificate()?.raw;
  if (raw === undefined || raw.length > longestDer) return undefined;
  return { der: raw.toString("base64url"), isVerified: socket.authorized };
}

function valueOf(headers: IncomingHttpHeaders, name: string): string {
  const value = name === "" ? undefined : headers[name];
  return typeof value === "string" ? value : (value?.join(",") ?? "");
}

/**
 * Certificates of OIDC clients (RFC 8705). A certificate from another listener than the one that asks for them belongs to an API caller or
 * to the proxy, and is not read.
 *
 * @param isFromTrustedProxy whether the request itself came from a trusted proxy, and did not only pass through one on its way
 */
export function createClientCertificates(
  names: CertificateHeaders,
  isFromTrustedProxy: (request: CertifiedRequest) => boolean,
  logger: Pick<Logger, "warn">,
) {
  const byListener = new WeakSet<IncomingMessage>();
  // The certificate of a connection never changes.
  const known = new WeakMap<object, { readonly certificate: ClientCertificate | undefined }>();
  // Clients may send any number of such headers.
  const warn = createQuietWarn(logger, systemClock);
  const fromListener = (socket: object): ClientCertificate | undefined => {
    const kept = known.get(socket);
    if (kept !== undefined) return kept.certificate;
    const certificate = certificateOfHandshake(socket);
    known.set(socket, { certificate });
    return certificate;
  };
  const ignored = (session: string, message: string): undefined => {
    warn(message, () => ({ session }), message);
  };
  const fromProxy = (request: CertifiedRequest): ClientCertificate | undefined => {
    const { headers } = request.raw;
    const value = valueOf(headers, names.certificate);
    if (value === "") return undefined;
    if (!isFromTrustedProxy(request)) {
      return ignored(request.id, "client certificate from a peer that is not a trusted proxy was ignored");
    }
    const der = certificateInHeader(value);
    if (der === undefined) {
      return ignored(request.id, "client certificate in the header of a trusted proxy is invalid and was ignored");
    }
    return { der: der.toString("base64url"), isVerified: valueOf(headers, names.verify) === "SUCCESS" };
  };
  return {
    /** The request handler of the listener that asks for certificates. */
    listenerHandle:
      (handle: RequestListener): RequestListener =>
      (request, response) => {
        byListener.add(request);
        handle(request, response);
      },
    /** The client's certificate, from the handshake with that listener or else from a trusted proxy. */
    read: (request: CertifiedRequest): ClientCertificate | undefined =>
      byListener.has(request.raw) ? fromListener(request.raw.socket) : fromProxy(request),
  };
}
