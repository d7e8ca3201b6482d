import { status } from "@grpc/grpc-js";
import type { AuthDecision } from "@postern/shared/contracts";
import type { AttributeFilter } from "@postern/shared/domain/released-attributes";
import { refusalStatus } from "../dialects/renderers.ts";
import type { CallResult } from "./call-result.ts";

/** Values of the enum in the proto file. */
const decisionNumbers = { ok: 1, fail: 2, blocked: 2, tempfail: 3 } as const satisfies Record<
  AuthDecision["outcome"],
  number
>;

/** Metadata is printable ASCII; the message contains the full text. */
export function metadataText(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/gu, "?");
}

type Attributes = Readonly<Record<string, readonly string[]>>;

function attributeValues(attributes: Attributes): Readonly<Record<string, { readonly values: readonly string[] }>> {
  return Object.fromEntries(Object.entries(attributes).map(([name, values]) => [name, { values }]));
}

/** `AuthResponse` of the proto file: a denial is a successful call. */
export function decisionResult(decision: AuthDecision, session: string, releasable: AttributeFilter): CallResult {
  const base = { session, decision: decisionNumbers[decision.outcome] };
  const refused = (text: string, more: object): CallResult => ({
    code: status.OK,
    contentLanguage: decision.outcome === "ok" ? undefined : decision.language,
    message: { ...base, ok: false, status_message: text, ...more },
    authStatus: refusalStatus(metadataText(text)),
  });
  switch (decision.outcome) {
    case "ok":
      return {
        code: status.OK,
        message: {
          ...base,
          ok: true,
          account_field: decision.accountField,
          totp_secret_field: decision.totpSecretField,
          backend: decision.backend,
          attributes: attributeValues(releasable(decision.attributes)),
          status_message: "OK",
        },
        authStatus: "OK",
      };
    case "fail":
    case "blocked":
      return refused(decision.message ?? "FAIL", {});
    case "tempfail":
      return refused(decision.message, { error: decision.message });
  }
}
