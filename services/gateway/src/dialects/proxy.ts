import { type AuthDecision, normalisedProtocol, type Ok, operation, type TempFail } from "@postern/shared/contracts";
import type { Config } from "@postern/shared/platform/config";
import { errorCodes } from "@postern/shared/platform/errors";
import type { Logger } from "@postern/shared/platform/logging";
import type { WireNames } from "../http/naming.ts";
import { decodePercents } from "../http/percent-decode.ts";
import { type HttpReply, jsonNullReply, jsonReply, type ReplyHeaders } from "../http/reply.ts";
import type { Upstream } from "../upstream-health/pick-upstream.ts";
import type { AttributesAsHeaders } from "./attribute-headers.ts";
import type { DialectEndpoint } from "./dialect.ts";
import { createHeaderParser } from "./header.ts";
import type { RequestHeaderNames } from "./header-fields.ts";
import { createDecisionHeaders, type Denial } from "./renderers.ts";

/** An empty denial text means FAIL; the key of an upstream is its protocol: imap, pop3, smtp. */
export function proxySettings({ response, upstreams }: Config["auth"]) {
  const known = Object.entries(upstreams).filter(([, { address }]) => address !== "");
  const { proxy_denial_text: denialText, proxy_response_codes: responseCodes } = response;
  return { denialText, responseCodes, upstreams: new Map<string, Upstream>(known) };
}

interface ProxyRendererParts {
  readonly names: WireNames;
  readonly attributeHeaders: AttributesAsHeaders;
  readonly live: { readonly current: { readonly proxy: ReturnType<typeof proxySettings> } };
  /** `pick` returns a live server for protocol and account; if undefined, the settings apply. */
  readonly upstreams: { readonly pick: (protocol: string, account: string) => Upstream | undefined };
  readonly logger: Pick<Logger, "warn">;
}

/** nginx reads an answer, from the status line to the end of its headers, into a buffer of 1024 bytes. */
const maxAnswerBytes = 1000;
/** Status line, Date, Connection, Keep-Alive, Content-Type and Content-Length. */
const frameBytes = 200;
const maxStatusBytes = 400;

function bytesOf(headers: ReplyHeaders): number {
  return headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
}

function cut(text: string): string {
  if (text.length <= maxStatusBytes) return text;
  let end = maxStatusBytes;
  // A continuation byte of UTF-8 is 10xxxxxx.
  while (end > 0 && ((text.codePointAt(end) ?? 0) & 0xc0) === 0x80) end -= 1;
  return text.slice(0, end);
}

/**
 * Response codes of RFC 5530 §3 and RFC 3206 §4, because nginx passes `Auth-Status` on as the text of `NO` or `-ERR`. Without them a mail program
 * takes every failure for a wrong password and asks for another. SMTP has status codes instead.
 */
const responseCodes: Readonly<Record<string, Readonly<Record<"denied" | "undecided", string>>>> = {
  imap: { denied: "[AUTHENTICATIONFAILED]", undecided: "[UNAVAILABLE]" },
  pop3: { denied: "[AUTH]", undecided: "[SYS/TEMP]" },
};

/** `Auth-Status` with a response code, unless a text of the site begins with one, truncated at a character boundary, because clients show it to users. */
function withStatus(headers: ReplyHeaders, code: string | undefined): ReplyHeaders {
  return headers.map(([name, value]) => {
    if (name !== "Auth-Status") return [name, value];
    return [name, cut(code === undefined || value.startsWith("[") ? value : `${code} ${value}`)];
  });
}

/** Always 200, with the outcome in `Auth-Status`. Attributes are sent as far as they fit into nginx's buffer. */
export function createProxyRenderer({ names, attributeHeaders, live, upstreams, logger }: ProxyRendererParts) {
  const common = createDecisionHeaders(names, "FAIL");
  const codesOf = (protocol: string) => (live.current.proxy.responseCodes ? responseCodes[protocol] : undefined);

  const undecided = (decision: TempFail, session: string, protocol: string): HttpReply => {
    const code = protocol === "smtp" ? ([["Auth-Error-Code", "451 4.3.0"]] as const) : [];
    const headers = [...withStatus(common.tempfail(decision, session), codesOf(protocol)?.undecided), ...code];
    return jsonReply(200, headers, { error: decision.message });
  };

  const denied = (decision: Denial, session: string, protocol: string): HttpReply => {
    const { denialText } = live.current.proxy;
    const { denied: headers } = denialText === "" ? common : createDecisionHeaders(names, denialText);
    return jsonNullReply(200, withStatus(headers(decision, session), codesOf(protocol)?.denied));
  };

  const succeeded = (decision: Ok, session: string, protocol: string): HttpReply => {
    const upstream =
      decision.upstream ?? upstreams.pick(protocol, decision.account) ?? live.current.proxy.upstreams.get(protocol);
    if (upstream === undefined) {
      logger.warn({ session, protocol }, "no upstream is configured for the protocol");
      const { publicMessage: message } = errorCodes.INTERNAL;
      return undecided({ outcome: "tempfail", code: "INTERNAL", message }, session, protocol);
    }
    const headers: ReplyHeaders = [
      ...common.ok(decision, session),
      ["Auth-Server", upstream.address],
      ["Auth-Port", String(upstream.port)],
    ];
    const room = maxAnswerBytes - frameBytes - bytesOf(headers);
    const { headers: attributes } = attributeHeaders(decision.attributes, room);
    return { status: 200, headers: [...headers, ...attributes], body: "" };
  };

  return {
    decision: (decision: AuthDecision, session: string, requestedProtocol: string): HttpReply => {
      const protocol = normalisedProtocol(requestedProtocol);
      switch (decision.outcome) {
        case "ok":
          return succeeded(decision, session, protocol);
        case "fail":
        case "blocked":
          return denied(decision, session, protocol);
        case "tempfail":
          return undecided(decision, session, protocol);
      }
    },
    malformed: (reason: string, session: string): HttpReply =>
      jsonReply(400, [[names.session, session]], { error: reason }),
  };
}

interface ProxyParts extends ProxyRendererParts {
  readonly settings: { readonly requestHeaders: RequestHeaderNames };
}

/** `GET` or `POST /api/v1/auth/proxy`, for nginx's mail proxy. */
export function proxyEndpoint({ settings: { requestHeaders }, ...parts }: ProxyParts): DialectEndpoint {
  const { decision: render, malformed } = createProxyRenderer(parts);
  const protocolHeader = requestHeaders.protocol.toLowerCase();
  return {
    dialect: "proxy",
    operations: [operation("authenticateProxy"), operation("authenticateProxyPost")],
    deniesUnacceptableCredentials: true,
    parse: createHeaderParser(requestHeaders, false),
    // The protocol is taken from the request, even if nothing else of the request could be read.
    decision: (decision, session, { [protocolHeader]: protocol }) =>
      render(decision, session, decodePercents(String(protocol ?? "")) ?? ""),
    malformed,
  };
}
