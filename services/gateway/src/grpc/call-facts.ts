import type { Metadata, ServerUnaryCall } from "@grpc/grpc-js";
import { type CidrSet, parseHostPort, resolveForwardedFor } from "@postern/shared/net";
import type { CallerPatience } from "../auth-client/decide.ts";
import type { RequestFacts } from "../dialects/complete-request.ts";
import type { Incoming } from "./protocol.ts";

export type AuthCall = ServerUnaryCall<Incoming, object>;

/** The values of one key as one text; more than one `authorization` is thus nobody's credentials. */
export function metadataValue(metadata: Metadata, key: string): string | undefined {
  const values = metadata.get(key);
  return values.length === 0 ? undefined : values.map(String).join(",");
}

interface Peer {
  readonly host: string;
  readonly port: string;
}

/** The library writes IPv6 addresses without brackets. */
export function peerOf(text: string): Peer {
  const parsed = parseHostPort(text);
  if (parsed !== undefined) return { host: parsed.host, port: String(parsed.port) };
  const at = text.lastIndexOf(":");
  return at === -1 ? { host: text, port: "" } : { host: text.slice(0, at), port: text.slice(at + 1) };
}

/** What the gateway knows of a call beside its message; the caller's address by the contract's trust rule. */
export function callFacts(call: AuthCall, session: string, trusted: CidrSet): RequestFacts {
  const { metadata } = call;
  const { host, port } = peerOf(call.getPeer());
  const forwardedFor = metadataValue(metadata, "x-forwarded-for");
  return {
    session,
    dialect: "grpc",
    clientIp: resolveForwardedFor({ peer: host, forwardedFor, realIp: metadataValue(metadata, "x-real-ip") }, trusted),
    clientPort: port,
    userAgent: metadataValue(metadata, "user-agent"),
    acceptLanguage: metadataValue(metadata, "accept-language"),
  };
}

/** How long the caller is there: its deadline, and an end when it cancels or its connection breaks. */
export function patienceOf(call: AuthCall): CallerPatience {
  const left = new AbortController();
  call.once("cancelled", () => left.abort());
  if (call.cancelled) left.abort();
  return { deadlineMs: Number(call.getDeadline()), signal: left.signal };
}
