import type { AuthDecision, AuthRequest } from "@postern/shared/contracts";
import { readAuthFields } from "./auth-fields.ts";
import { readJsonOrForm } from "./body.ts";
import { completeRequest, type RequestFacts } from "./complete-request.ts";
import type { WireNames } from "./naming.ts";
import { parseAuthQuery } from "./query.ts";
import { authWait, type Denial, type DialectReply, headerText, jsonNullReply, jsonReply } from "./reply.ts";
import type { AttributeFilter } from "./secret-attributes.ts";

export interface JsonInput {
  readonly url: string;
  readonly contentType: string | undefined;
  readonly body: Buffer;
  readonly facts: RequestFacts;
}

/**
 * `POST /api/v1/auth/json` as a request.
 *
 * @throws AppError of kind `caller`: the request is answered with 400.
 */
export function parseJsonRequest({ url, contentType, body, facts }: JsonInput): AuthRequest {
  const query = parseAuthQuery(url);
  return completeRequest(readAuthFields(readJsonOrForm(contentType, body)), query, facts);
}

export interface JsonRenderer {
  readonly decision: (decision: AuthDecision, session: string) => DialectReply;
  /** 400: the request is not one. */
  readonly malformed: (reason: string, session: string) => DialectReply;
}

export interface JsonRendererDeps {
  readonly names: WireNames;
  readonly releasable: AttributeFilter;
}

/** Contract, "Errors", rules 1 and 2: 200 with the object, 403 with `null`, 500 with `{error}`. */
export function createJsonRenderer({ names, releasable }: JsonRendererDeps): JsonRenderer {
  const memoryCacheValue = { hit: "Hit", miss: "Miss" } as const;
  const denied = (decision: Denial, session: string): DialectReply =>
    jsonNullReply(403, [
      ["Auth-Status", headerText(decision.message ?? "FAIL")],
      [names.session, session],
      [names.memoryCache, memoryCacheValue[decision.memoryCache]],
      ...authWait(decision),
    ]);
  return {
    decision: (decision, session) => {
      switch (decision.outcome) {
        case "ok":
          return jsonReply(
            200,
            [
              ["Auth-Status", "OK"],
              [names.session, session],
              ["Auth-User", headerText(decision.account)],
              [names.memoryCache, memoryCacheValue[decision.memoryCache]],
            ],
            {
              ok: true,
              account_field: decision.accountField,
              totp_secret_field: decision.totpSecretField,
              backend: decision.backend,
              attributes: releasable(decision.attributes),
            },
          );
        case "fail":
        case "blocked":
          return denied(decision, session);
        case "tempfail":
          return jsonReply(
            500,
            [
              ["Auth-Status", headerText(decision.message)],
              [names.session, session],
            ],
            { error: decision.message },
          );
      }
    },
    malformed: (reason, session) => jsonReply(400, [[names.session, session]], { error: reason }),
  };
}
