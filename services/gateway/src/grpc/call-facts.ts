import type { Metadata, ServerUnaryCall } from "@grpc/grpc-js";
import {
  type CidrSet,
  peerOf as connectionPeerOf,
  parseHostPort,
  resolveForwardedFor,
} from "@postern/shared/platform/net";
import { steadyClock, systemClock } from "@postern/shared/platform/time";
import type { CallerPatience } from "../auth/decide.ts";
import type { RequestFacts } from "../dialects/complete-request.ts";
import type { Incoming } from "./protocol.ts";

export type AuthCall = ServerUnaryCall<Incoming, object>;

/** The values of one key joined to one text; several `authorization` values are therefore never valid credentials. */
export function metadataValue(metadata: Metadata, key: string): string | undefined {
  const values = metadata.get(key);
  return values.length === 0 ? undefined : values.map(String).join(",");
}

/** The library writes IPv6 addresses without brackets. */
export function peerOf(text: string): { readonly host: string; readonly port: string } {
  const parsed = parseHostPort(text);
  if (parsed !== undefined) return { host: parsed.host, port: String(parsed.port) };
  const at = text.lastIndexOf(":");
  return at === -1 ? { host: text, port: "" } : { host: text.slice(0, at), port: text.slice(at + 1) };
}

/**
 * What the gateway knows about a call apart from its message; the client address is determined as on the HTTP listeners.
 * @param hopsHeader in lower case
 */
export function callFacts(
  call: Pick<AuthCall, "metadata" | "getPeer">,
  session: string,
  { trusted, hopsHeader }: { readonly trusted: CidrSet; readonly hopsHeader: string },
): Omit<RequestFacts, "reportIgnoredAddress"> {
  const { metadata } = call;
  const { host, port } = peerOf(call.getPeer());
  const { address } = connectionPeerOf(host, trusted);
  const forwardedFor = metadataValue(metadata, "x-forwarded-for");
  const forwarding = { peer: host, forwardedFor, realIp: metadataValue(metadata, "x-real-ip") };
  const clientIp = resolveForwardedFor(forwarding, trusted);
  return {
    session,
    dialect: "grpc",
    clientIp,
    clientPort: clientIp === address ? port : "",
    // A chain that consists only of trusted proxies contains no client.
    clientIpIsPeer: clientIp === address || trusted.has(clientIp),
    userAgent: metadataValue(metadata, "user-agent"),
    acceptLanguage: metadataValue(metadata, "accept-language"),
    hops: metadataValue(metadata, hopsHeader),
  };
}

/** How long the caller waits: until its deadline, which gRPC states by the wall clock, or until it cancels or its connection breaks. */
export function patienceOf(call: AuthCall): CallerPatience {
  const left = new AbortController();
  call.once("cancelled", () => left.abort());
  if (call.cancelled) left.abort();
  return { deadlineMs: Number(call.getDeadline()) - systemClock.now() + steadyClock.now(), signal: left.signal };
}
