import type { AuthDecision, Ok } from "@postern/shared/contracts";
import { createDecisionHeaders } from "./decision-headers.ts";
import type { WireNames } from "./naming.ts";
import type { DialectReply } from "./reply.ts";
import type { AttributeFilter } from "./secret-attributes.ts";

/** Contract, "Authentication success response". */
export type SuccessObject = {
  readonly ok: true;
  readonly account_field: string;
  readonly totp_secret_field: string;
  readonly backend: number;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
};

/** Contract: the body of a temporary failure, and of a request that is none. */
export type ErrorObject = { readonly error: string };

/** How a format writes the bodies of the contract. */
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
  /** 400: the request is not one. */
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

/** Contract, "Errors", rules 1 and 2: 200 with the object, 403 with `null`, 500 with `{error}`, in JSON or in CBOR. */
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
