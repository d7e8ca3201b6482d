import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { operations } from "@postern/shared/contracts";
import { type Caller, callerAssertionHeader } from "@postern/shared/platform/http";
import { isCoded } from "../http/body.ts";
import { pathOf } from "../http/request-path.ts";
import type { CallerRule } from "./paths.ts";

/** The caller, for the assertion to the service behind a path. */
interface Vouched {
  readonly rule: CallerRule;
  readonly caller: Caller;
  readonly assertion: string;
  /** The gateway's span; absent if the request is not traced. */
  readonly traceparent: string | undefined;
}

/** RFC 9110 §7.6.1: specific to one connection, so never passed on. Node answers `Expect` itself. */
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

/** Headers addressed to the gateway by its peers; the service must not receive them from a client. */
const meantForUs: ReadonlySet<string> = new Set([
  callerAssertionHeader,
  "x-forwarded-for",
  "x-real-ip",
  "x-forwarded-host",
  "x-forwarded-proto",
  "forwarded",
  // The gateway decides which traces to continue. Services behind it believe this header.
  "traceparent",
  "tracestate",
  "baggage",
]);

const withBody: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Bodies of HEAD have no meaning, nor have most of GET (RFC 9110 §9.3.1), and no operation has a method that is not one of these. */
export function passesBody(method: string | undefined): boolean {
  return method !== undefined && withBody.has(method);
}

/** Operations that accept the same body with GET and with POST. */
const getsWithBody: ReadonlySet<string> = new Set(
  operations.flatMap(({ method, path, request }) => (method === "get" && request?.body !== undefined ? [path] : [])),
);

/** The method with which a request is passed on: GET as POST where its body counts, because servers ignore the body of a GET. */
export function forwardedMethod({ method = "", url = "", headers }: IncomingMessage): string {
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  return method === "GET" && hasBody && getsWithBody.has(pathOf(url)) ? "POST" : method;
}

/** Headers of a request as it is forwarded to the service behind its path. `host` is the host that the client requested. */
export function requestHeaders(
  { method, host }: { readonly method: string; readonly host: string | undefined },
  headers: IncomingHttpHeaders,
  { rule, caller, assertion, traceparent }: Vouched,
): IncomingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => !hopByHop.has(name) && !meantForUs.has(name));
  const passed: IncomingHttpHeaders = Object.fromEntries(kept);
  // Credentials that the gateway has checked are not passed on; the assertion states the result.
  if (rule === "backchannel" || (rule === "offered" && caller.method !== "none")) delete passed.authorization;
  if (!passesBody(method)) delete passed["content-length"];
  // The gateway has expanded the body, which changes its length.
  if (isCoded(passed["content-encoding"])) delete passed["content-length"];
  delete passed["content-encoding"];
  return {
    ...passed,
    [callerAssertionHeader]: assertion,
    "x-forwarded-for": caller.clientIp,
    // Mail clients ask for the settings of a domain by its host.
    ...(host !== undefined && { "x-forwarded-host": host }),
    ...(traceparent !== undefined && { traceparent }),
  };
}

export function responseHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name)));
}
