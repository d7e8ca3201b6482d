import type { IncomingHttpHeaders } from "node:http";
import { type Caller, callerAssertionHeader } from "@postern/shared/http";
import type { CallerRule } from "./owners.ts";

/** Who asks, as the owner of a path is told. */
export interface Vouched {
  readonly rule: CallerRule;
  readonly caller: Caller;
  readonly assertion: string;
}

/** RFC 9110 §7.6.1: about one connection, so never passed on. Node answers `Expect` itself. */
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
]);

/** Told by whoever connects to us and meant for us; the owner must not take any of it from a client. */
const meantForUs: ReadonlySet<string> = new Set([
  callerAssertionHeader,
  "x-forwarded-for",
  "x-real-ip",
  "x-forwarded-host",
  "x-forwarded-proto",
  "forwarded",
]);

/** The headers of a request as the owner of its path gets them. */
export function requestHeaders(
  method: string,
  headers: IncomingHttpHeaders,
  { rule, caller, assertion }: Vouched,
): IncomingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => !hopByHop.has(name) && !meantForUs.has(name));
  const passed: IncomingHttpHeaders = Object.fromEntries(kept);
  // What the gateway has checked ends here: the assertion says what it proved.
  if (rule === "backchannel" || (rule === "offered" && caller.method !== "none")) delete passed.authorization;
  // Their bodies mean nothing (RFC 9110 §9.3.1) and are not passed on.
  if (method === "GET" || method === "HEAD") delete passed["content-length"];
  return { ...passed, [callerAssertionHeader]: assertion, "x-forwarded-for": caller.clientIp };
}

/** The headers of an owner's answer as the client gets them. */
export function responseHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name)));
}
