import { type AuthDecision, normalisedProtocol, type Ok, type TempFail } from "@postern/shared/contracts";
import { errorCodes } from "@postern/shared/platform/errors";
import type { Upstream } from "../upstream-health/pick-upstream.ts";
import type { AttributesAsHeaders } from "./attribute-headers.ts";
import { createDecisionHeaders, type ReplyHeaders } from "./renderers.ts";
import type { WireNames } from "../http/naming.ts";
import { type Denial, type HttpReply, emptyReply, jsonNullReply, jsonReply } from "../http/reply.ts";

export interface ProxySettings {
  /** `auth.response.proxy_denial_text`; empty means FAIL. */
  readonly denialText: string;
  /** `auth.response.proxy_response_codes` */
  readonly responseCodes: boolean;
  /** By protocol: imap, pop3, smtp. */
  readonly upstreams: ReadonlyMap<string, Upstream>;
}

export interface ProxyRendererDeps {
  readonly names: WireNames;
  readonly attributeHeaders: AttributesAsHeaders;
  readonly settings: () => ProxySettings;
  /** A live server for protocol and account; if undefined, `upstreams` applies. */
  readonly liveUpstream: (protocol: string, account: string) => Upstream | undefined;
  /** Called for a success for which no upstream is configured. */
  readonly onNoUpstream: (session: string, protocol: string) => void;
}

interface RequestContext {
  readonly session: string;
  readonly protocol: string;
}

export interface ProxyRenderer {
  /** `protocol` is taken from the request, even if nothing else of the request could be read. */
  readonly decision: (decision: AuthDecision, session: string, protocol: string) => HttpReply;
  readonly malformed: (reason: string, session: string) => HttpReply;
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

/** A text of the site may already begin with a code. */
function withCode(headers: ReplyHeaders, code: string | undefined): ReplyHeaders {
  if (code === undefined) return headers;
  return headers.map(([name, value]) => [
    name,
    name === "Auth-Status" && !value.startsWith("[") ? `${code} ${value}` : value,
  ]);
}

/** `Auth-Status` truncated at a character boundary, because clients show it to users. */
function bounded(headers: ReplyHeaders): ReplyHeaders {
  return headers.map(([name, value]) => [name, name === "Auth-Status" ? cut(value) : value]);
}

/**
 * The proxy dialect: always 200, with the outcome in `Auth-Status`. Attributes are sent as far as they fit into nginx's buffer.
 */
export function createProxyRenderer(deps: ProxyRendererDeps): ProxyRenderer {
  const { names, attributeHeaders, settings, liveUpstream, onNoUpstream } = deps;
  const common = createDecisionHeaders({ names, denialText: "FAIL" });

  const codesOf = (protocol: string) => (settings().responseCodes ? responseCodes[protocol] : undefined);

  const undecided = (decision: TempFail, { session, protocol }: RequestContext): HttpReply => {
    const code = protocol === "smtp" ? ([["Auth-Error-Code", "451 4.3.0"]] as const) : [];
    const headers = [...bounded(withCode(common.tempfail(decision, session), codesOf(protocol)?.undecided)), ...code];
    return jsonReply(200, headers, { error: decision.message });
  };

  const denied = (decision: Denial, { session, protocol }: RequestContext): HttpReply => {
    const { denialText } = settings();
    const { denied: headers } = denialText === "" ? common : createDecisionHeaders({ names, denialText });
    return jsonNullReply(200, bounded(withCode(headers(decision, session), codesOf(protocol)?.denied)));
  };

  const succeeded = (decision: Ok, context: RequestContext): HttpReply => {
    const { session, protocol } = context;
    const upstream =
      decision.upstream ?? liveUpstream(protocol, decision.account) ?? settings().upstreams.get(protocol);
    if (upstream === undefined) {
      onNoUpstream(session, protocol);
      return undecided({ outcome: "tempfail", code: "INTERNAL", message: errorCodes.INTERNAL.publicMessage }, context);
    }
    const headers: ReplyHeaders = [
      ...common.ok(decision, session),
      ["Auth-Server", upstream.address],
      ["Auth-Port", String(upstream.port)],
    ];
    const room = maxAnswerBytes - frameBytes - bytesOf(headers);
    return emptyReply(200, [...headers, ...attributeHeaders(decision.attributes, room).headers]);
  };

  return {
    decision: (decision, session, protocol) => {
      const context = { session, protocol: normalisedProtocol(protocol) };
      switch (decision.outcome) {
        case "ok":
          return succeeded(decision, context);
        case "fail":
        case "blocked":
          return denied(decision, context);
        case "tempfail":
          return undecided(decision, context);
      }
    },
    malformed: (reason, session) => jsonReply(400, [[names.session, session]], { error: reason }),
  };
}
