import type { AuthDecision, Ok } from "@postern/shared/contracts";
import type { AttributeFilter } from "@postern/shared/domain/released-attributes";
import { createDecisionHeaders } from "./decision-headers.ts";
import type { WireNames } from "./naming.ts";
import type { DialectReply } from "./reply.ts";

/** Body of a successful authentication. */
export type SuccessObject = {
  readonly ok: true;
  readonly account_field: string;
  readonly totp_secret_field: string;
  readonly backend: number;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
};

/** Body of a temporary failure and of a malformed request. */
export type ErrorObject = { readonly error: string };

/** Encodes the bodies in one format. */
export interface ObjectFormat {
  readonly object: (
    status: number,
    headers: DialectReply["headers"],
    value: SuccessObject | ErrorObject,
  ) => DialectReply;
  /** `null`, the body of a denial. */
  readonly nothing: (status: number, headers: DialectReply["headers"]) => DialectReply;
}

export interface ObjectRenderer {
  readonly decision: (decision: AuthDecision, session: string) => DialectReply;
  /** 400 for a malformed request. */
  readonly malformed: (reason: string, session: string) => DialectReply;
}

export interface ObjectRendererDeps {
  readonly names: WireNames;
  readonly releasable: AttributeFilter;
}

function successObject(decision: Ok, releasable: AttributeFilter): SuccessObject {
  return {
    ok: true,
    account_field: decision.accountField,
    totp_secret_field: decision.totpSecretField,
    backend: decision.backend,
    attributes: releasable(decision.attributes),
  };
}

/** The responses of the object dialects: 200 with the object, 403 with `null`, 500 with `{error}`, in JSON or CBOR. */
export function createObjectRenderer(
  { names, releasable }: ObjectRendererDeps,
  { object, nothing }: ObjectFormat,
  denialText: string,
): ObjectRenderer {
  const headers = createDecisionHeaders({ names, denialText });
  return {
    decision: (decision, session) => {
      switch (decision.outcome) {
        case "ok":
          return object(200, headers.ok(decision, session), successObject(decision, releasable));
        case "fail":
        case "blocked":
          return nothing(403, headers.denied(decision, session));
        case "tempfail":
          return object(500, headers.tempfail(decision, session), { error: decision.message });
      }
    },
    malformed: (reason, session) => object(400, [[names.session, session]], { error: reason }),
  };
}
