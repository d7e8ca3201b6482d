import type { AuthDecision, Ok } from "@postern/shared/contracts";
import { createDecisionHeaders, type DecisionHeaders, type ReplyHeaders } from "./renderers.ts";
import type { WireNames } from "../http/naming.ts";
import { type HttpReply, emptyReply, jsonNullReply, jsonReply } from "../http/reply.ts";

export interface StatusRenderer {
  readonly decision: (decision: AuthDecision, session: string) => HttpReply;
  /** 400 for a malformed request. */
  readonly malformed: (reason: string, session: string) => HttpReply;
}

/** Adapts the headers that every success has to the endpoint. */
export type SuccessHeaders = (headers: ReplyHeaders, decision: Ok, session: string) => ReplyHeaders;

/**
 * Answers of endpoints that use only status and headers: success without a body, 403 with `null`, 500 with `{error}`.
 *
 * @param omitted headers that the endpoint's denials do not have
 */
export function createStatusRenderer(
  names: WireNames,
  success: SuccessHeaders,
  omitted: ReadonlySet<string> = new Set(),
): StatusRenderer {
  const headers: DecisionHeaders = createDecisionHeaders({ names, denialText: "FAIL" });
  return {
    decision: (decision, session) => {
      switch (decision.outcome) {
        case "ok":
          return emptyReply(200, success(headers.ok(decision, session), decision, session));
        case "fail":
        case "blocked":
          return jsonNullReply(
            403,
            headers.denied(decision, session).filter(([name]) => !omitted.has(name)),
          );
        case "tempfail":
          return jsonReply(500, headers.tempfail(decision, session), { error: decision.message });
      }
    },
    malformed: (reason, session) => jsonReply(400, [[names.session, session]], { error: reason }),
  };
}
