import type { AuthDecision, Ok } from "@postern/shared/contracts";
import { decisionHeaders, type ReplyHeaders, refusalStatus } from "./decision-headers.ts";
import type { WireNames } from "./naming.ts";
import { type DialectReply, emptyReply, jsonNullReply, jsonReply } from "./reply.ts";

export interface StatusRenderer {
  readonly decision: (decision: AuthDecision, session: string) => DialectReply;
  /** 400: the request is not one. */
  readonly malformed: (reason: string, session: string) => DialectReply;
}

/** The headers of a success. */
export type SuccessHeaders = (decision: Ok, session: string) => ReplyHeaders;

/**
 * The answers of endpoints that say everything in status and headers (contract, "Errors", rules 1 and 2): success
 * without a body, 403 with `null`, 500 with `{error}`.
 *
 * @param omitted headers that the endpoint's denials do not have
 */
export function createStatusRenderer(
  names: WireNames,
  success: SuccessHeaders,
  omitted: ReadonlySet<string> = new Set(),
): StatusRenderer {
  const headersOf = (decision: AuthDecision, session: string, message: string | undefined): ReplyHeaders =>
    decisionHeaders(names, decision, session, refusalStatus(message)).filter(([name]) => !omitted.has(name));
  return {
    decision: (decision, session) => {
      switch (decision.outcome) {
        case "ok":
          return emptyReply(200, success(decision, session));
        case "fail":
        case "blocked":
          return jsonNullReply(403, headersOf(decision, session, decision.message));
        case "tempfail":
          return jsonReply(500, headersOf(decision, session, decision.message), { error: decision.message });
      }
    },
    malformed: (reason, session) => jsonReply(400, [[names.session, session]], { error: reason }),
  };
}
