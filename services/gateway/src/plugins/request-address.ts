import { type CidrSet, canonicalIp, resolveForwardedFor } from "@postern/shared/net";
import type { FastifyRequest } from "fastify";
import { decodePercents } from "../dialects/percent-decode.ts";

function single(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "string" ? value : value?.join(",");
}

/** The address of whoever calls us, by the contract's trust rule. */
export function callerAddress(request: FastifyRequest, trusted: CidrSet): string {
  const { headers, socket } = request.raw;
  const forwardedFor = single(headers["x-forwarded-for"]);
  const peer = socket.remoteAddress ?? "";
  return resolveForwardedFor({ peer, forwardedFor, realIp: single(headers["x-real-ip"]) }, trusted);
}

export interface ClientHeaderNames {
  readonly clientIp: string;
  readonly clientPort: string;
}

export interface ClientAddress {
  readonly clientIp: string;
  readonly clientPort: string;
}

/**
 * The mail user's address where the body does not tell it: the configured headers, from a trusted peer only, else the
 * caller's own. A header that holds no address counts for nothing.
 */
export function clientAddress(
  request: FastifyRequest,
  callerIp: string,
  { trusted, names }: { readonly trusted: CidrSet; readonly names: ClientHeaderNames },
): ClientAddress {
  const { headers, socket } = request.raw;
  const own = { clientIp: callerIp, clientPort: String(socket.remotePort ?? "") };
  const told = single(headers[names.clientIp]);
  if (told === undefined || !trusted.has(socket.remoteAddress ?? "")) return own;
  const clientIp = canonicalIp(decodePercents(told) ?? "");
  const clientPort = decodePercents(single(headers[names.clientPort]) ?? "") ?? "";
  return clientIp === undefined ? own : { clientIp, clientPort };
}
