import type { AuthDecision, Ok, TempFail } from "@postern/shared/contracts";
import type { AttributeFilter } from "@postern/shared/domain/released-attributes";
import type { WireNames } from "../http/naming.ts";
import { type HttpReply, headerText, jsonNullReply, jsonReply, type ReplyHeaders } from "../http/reply.ts";

export type Denial = Extract<AuthDecision, { outcome: "fail" | "blocked" }>;

/** Values that nginx and other proxies do not treat as a denial. */
const statusWords = new Set(["", "OK", "WAIT"]);

/** `Auth-Status` of an answer that admits no user. */
export function refusalStatus(text: string): string {
  const status = headerText(text);
  return statusWords.has(status.trim().toUpperCase()) ? "FAIL" : status;
}

/** Only texts from a catalogue have a language. */
function contentLanguage({ language }: Denial | TempFail): ReplyHeaders {
  return language === undefined ? [] : [["Content-Language", headerText(language)]];
}

function authWait({ waitSeconds }: Denial): ReplyHeaders {
  return waitSeconds === undefined ? [] : [["Auth-Wait", String(waitSeconds)]];
}

const memoryCacheValue = { hit: "Hit", miss: "Miss" } as const;

/**
 * Response headers that every dialect has, before a dialect adds its own.
 *
 * @param denialText `Auth-Status` of a denial for which no policy or script has a text (ADR 0013)
 * @param sendsWait whether the endpoint's callers support `Auth-Wait`
 */
export function createDecisionHeaders(names: WireNames, denialText: string, sendsWait = true) {
  return {
    ok: ({ account, memoryCache }: Ok, session: string): ReplyHeaders => [
      ["Auth-Status", "OK"],
      [names.session, session],
      ["Auth-User", headerText(account)],
      [names.memoryCache, memoryCacheValue[memoryCache]],
    ],
    denied: (decision: Denial, session: string): ReplyHeaders => [
      ["Auth-Status", refusalStatus(decision.message ?? denialText)],
      [names.session, session],
      [names.memoryCache, memoryCacheValue[decision.memoryCache]],
      ...(sendsWait ? authWait(decision) : []),
      ...contentLanguage(decision),
    ],
    tempfail: (decision: TempFail, session: string): ReplyHeaders => [
      ["Auth-Status", refusalStatus(decision.message)],
      [names.session, session],
      [names.memoryCache, memoryCacheValue.miss],
      ...contentLanguage(decision),
    ],
  };
}

/** Body of a successful authentication in the object dialects, JSON and CBOR. */
export type SuccessObject = ReturnType<typeof successObject>;

function successObject(decision: Ok, releasable: AttributeFilter) {
  return {
    ok: true,
    account_field: decision.accountField,
    totp_secret_field: decision.totpSecretField,
    backend: decision.backend,
    attributes: releasable(decision.attributes),
  } as const;
}

/** Encodes bodies; `nothing` is the body of a denial. */
export interface BodyFormat {
  readonly object: (
    status: number,
    headers: ReplyHeaders,
    value: SuccessObject | { readonly error: string },
  ) => HttpReply;
  readonly nothing: (status: number, headers: ReplyHeaders) => HttpReply;
}

export const jsonFormat: BodyFormat = { object: jsonReply, nothing: jsonNullReply };

interface RendererParts {
  readonly names: WireNames;
  /** Renders a success, with the headers that every success has. */
  readonly success: (headers: ReplyHeaders, decision: Ok, session: string) => HttpReply;
  readonly format?: BodyFormat;
  readonly denialText?: string;
  readonly sendsWait?: boolean;
}

/** The responses of a dialect: a success in its own form, 403 with `null`, 500 with `{error}`, 400 for a malformed request. */
export function createRenderer({
  names,
  success,
  format: { object, nothing } = jsonFormat,
  denialText = "FAIL",
  sendsWait = true,
}: RendererParts) {
  const headers = createDecisionHeaders(names, denialText, sendsWait);
  return {
    decision: (decision: AuthDecision, session: string): HttpReply => {
      switch (decision.outcome) {
        case "ok":
          return success(headers.ok(decision, session), decision, session);
        case "fail":
        case "blocked":
          return nothing(403, headers.denied(decision, session));
        case "tempfail":
          return object(500, headers.tempfail(decision, session), { error: decision.message });
      }
    },
    malformed: (reason: string, session: string): HttpReply =>
      object(400, [[names.session, session]], { error: reason }),
  };
}

export interface ObjectRendererParts {
  readonly names: WireNames;
  readonly releasable: AttributeFilter;
}

/** The responses of the object dialects: a success is 200 with the object. */
export function createObjectRenderer(
  { names, releasable }: ObjectRendererParts,
  format: BodyFormat,
  denialText: string,
) {
  const success: RendererParts["success"] = (headers, decision) =>
    format.object(200, headers, successObject(decision, releasable));
  return createRenderer({ names, success, format, denialText });
}

/** The responses of basic and sasl: the account name, but no attributes, and no `Auth-Wait`, which their callers do not support. */
export function createPlainRenderer(names: WireNames) {
  return createRenderer({ names, sendsWait: false, success: (headers) => ({ status: 200, headers, body: "" }) });
}
