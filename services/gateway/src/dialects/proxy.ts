import type { AuthDecision, AuthRequest, Ok } from "@postern/shared/contracts";
import { errorCodes } from "@postern/shared/errors";
import type { AttributesAsHeaders } from "./attribute-headers.ts";
import { decisionHeaders, type ReplyHeaders, refusalStatus } from "./decision-headers.ts";
import type { WireNames } from "./naming.ts";
import { type Denial, type DialectReply, emptyReply, jsonNullReply, jsonReply } from "./reply.ts";

export interface Upstream {
  readonly address: string;
  readonly port: number;
}

export interface ProxySettings {
  /** `auth.response.proxy_denial_text`; empty means FAIL. */
  readonly denialText: string;
  /** By protocol: imap, pop3, smtp. */
  readonly upstreams: ReadonlyMap<string, Upstream>;
}

export interface ProxyRendererDeps {
  readonly names: WireNames;
  readonly attributeHeaders: AttributesAsHeaders;
  readonly settings: () => ProxySettings;
  /** Told of a success that nobody could be proxied for. */
  readonly onNoUpstream: (session: string, protocol: string) => void;
}

interface Asked {
  readonly session: string;
  readonly protocol: string;
}

export interface ProxyRenderer {
  /** Without the request, as where it could not even be read, the protocol is unknown. */
  readonly decision: (decision: AuthDecision, session: string, asked?: AuthRequest) => DialectReply;
  readonly malformed: (reason: string, session: string) => DialectReply;
}

/** nginx reads an answer, from status line to the end of its headers, into a buffer of 1024 bytes and no more. */
const maxAnswerBytes = 1000;
/** Status line, Date, Connection, Keep-Alive, Content-Type and Content-Length. */
const frameBytes = 200;
const maxStatusBytes = 400;
const temporary = errorCodes.INTERNAL.publicMessage;

function bytesOf(headers: ReplyHeaders): number {
  return headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
}

/** Cut at a character, as clients show it to people. */
function bounded(status: string): string {
  if (status.length <= maxStatusBytes) return status;
  let end = maxStatusBytes;
  // A byte that continues a character of UTF-8 is 10xxxxxx.
  while (end > 0 && ((status.codePointAt(end) ?? 0) & 0xc0) === 0x80) end -= 1;
  return status.slice(0, end);
}

/**
 * The proxy-style endpoint (contract, "Authentication endpoints"): 200 whatever the outcome, which is in `Auth-Status`.
 * Attributes are sent as far as nginx has room for them.
 */
export function createProxyRenderer(deps: ProxyRendererDeps): ProxyRenderer {
  const { names, attributeHeaders, settings, onNoUpstream } = deps;

  const undecided = (decision: AuthDecision, message: string, { session, protocol }: Asked): DialectReply => {
    const headers = decisionHeaders(names, decision, session, bounded(refusalStatus(message)));
    const code = protocol === "smtp" ? ([["Auth-Error-Code", "451 4.3.0"]] as const) : [];
    return jsonReply(200, [...headers, ...code], { error: message });
  };

  const denied = (decision: Denial, session: string): DialectReply => {
    const status = refusalStatus(decision.message, settings().denialText);
    return jsonNullReply(200, decisionHeaders(names, decision, session, bounded(status)));
  };

  const succeeded = (decision: Ok, asked: Asked): DialectReply => {
    const { session, protocol } = asked;
    const upstream = settings().upstreams.get(protocol);
    if (upstream === undefined) {
      onNoUpstream(session, protocol);
      return undecided({ outcome: "tempfail", code: "INTERNAL", message: temporary }, temporary, asked);
    }
    const headers: ReplyHeaders = [
      ...decisionHeaders(names, decision, session, "OK"),
      ["Auth-Server", upstream.address],
      ["Auth-Port", String(upstream.port)],
    ];
    const room = maxAnswerBytes - frameBytes - bytesOf(headers);
    return emptyReply(200, [...headers, ...attributeHeaders(decision.attributes, room).headers]);
  };

  return {
    decision: (decision, session, request) => {
      const asked = { session, protocol: request?.protocol.toLowerCase() ?? "" };
      switch (decision.outcome) {
        case "ok":
          return succeeded(decision, asked);
        case "fail":
        case "blocked":
          return denied(decision, session);
        case "tempfail":
          return undecided(decision, decision.message, asked);
      }
    },
    malformed: (reason, session) => jsonReply(400, [[names.session, session]], { error: reason }),
  };
}
