import { userNameFault } from "@postern/shared/contracts";
import { type CborValue, decodeCbor } from "@postern/shared/platform/cbor";
import { parseStrictJson } from "@postern/shared/platform/http";
import type { BackendAccount } from "../backend.ts";
import { malformed, type ReceivedAnswer, RemoteFault } from "./exchange.ts";
import type { HttpBackendSettings } from "./http-settings.ts";

/** What the other server decided. */
export type RemoteDecision =
  | { readonly kind: "ok"; readonly account: BackendAccount }
  | { readonly kind: "denied"; readonly waitSeconds: number | undefined };

export type AnswerSettings = Pick<HttpBackendSettings, "format" | "denialStatus" | "headers">;

const maxAttributes = 1024;
const maxValues = 4096;
const maxWaitSeconds = 86_400;

/** The first value of a header. */
export function headerOf({ headers }: Pick<ReceivedAnswer, "headers">, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" ? value : value?.[0];
}

/** Without parameters, in lower case. */
export function mediaTypeOf(answer: Pick<ReceivedAnswer, "headers">): string {
  const [type = ""] = (headerOf(answer, "content-type") ?? "").split(";");
  return type.trim().toLowerCase();
}

/** The session of the other server, for logs; empty if it names none that can be printed. */
export function sessionOf(answer: Pick<ReceivedAnswer, "headers">, name: string): string {
  const session = headerOf(answer, name) ?? "";
  return /^[\x21-\x7e]{1,64}$/.test(session) ? `, session ${session}` : "";
}

type Members = (name: string) => unknown;

function membersOf(value: unknown): {
  readonly get: Members;
  readonly entries: readonly (readonly [string, unknown])[];
} {
  if (value instanceof Map) return { get: (name) => value.get(name), entries: [...value] };
  if (typeof value !== "object" || value === null || Array.isArray(value) || value instanceof Uint8Array) {
    throw malformed("a part of the answer is not an object");
  }
  const entries = Object.entries(value);
  return { get: (name) => entries.find(([member]) => member === name)?.[1], entries };
}

/** `null`, or nothing at all, is the body of a denial. */
function bodyOf({ body }: ReceivedAnswer, { format }: AnswerSettings): unknown {
  if (body.length === 0) return null;
  try {
    return format === "cbor" ? (decodeCbor(body) satisfies CborValue) : parseStrictJson(body);
  } catch (cause) {
    throw new RemoteFault("malformed", `the body is not one ${format.toUpperCase()} value`, { cause });
  }
}

function textOf(value: unknown, what: string): string {
  if (typeof value === "string" && value.isWellFormed()) return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw malformed(`${what} is not a text`);
}

function attributesOf(value: unknown): Record<string, string[]> {
  const { entries } = membersOf(value ?? {});
  let left = maxValues;
  if (entries.length > maxAttributes) throw malformed("the answer has too many attributes");
  return Object.fromEntries(
    entries.map(([name, values]): [string, string[]] => {
      const list: readonly unknown[] = Array.isArray(values) ? values : [values];
      left -= list.length;
      if (left < 0) throw malformed("the answer has too many values");
      return [name, list.map((one) => textOf(one, "an attribute"))];
    }),
  );
}

function accountOf(answer: ReceivedAnswer, settings: AnswerSettings): BackendAccount {
  const { get } = membersOf(bodyOf(answer, settings));
  if (get("ok") !== true) throw malformed("the status is 200, but ok is not true");
  const accountField = textOf(get("account_field"), "account_field");
  const attributes = attributesOf(get("attributes"));
  const named = Object.hasOwn(attributes, accountField) ? attributes[accountField]?.[0] : undefined;
  const account = named ?? headerOf(answer, "auth-user") ?? "";
  if (account === "" || userNameFault(account) !== undefined) throw malformed("the answer names no account");
  return {
    account,
    accountField,
    totpSecretField: textOf(get("totp_secret_field") ?? "", "totp_secret_field"),
    attributes,
  };
}

function checkFormat(answer: ReceivedAnswer, { format }: AnswerSettings): void {
  if (mediaTypeOf(answer) !== `application/${format}`) throw malformed(`the answer is not application/${format}`);
  if ((headerOf(answer, "content-encoding") ?? "identity") !== "identity") throw malformed("the answer is compressed");
}

function waitOf(answer: ReceivedAnswer, { headers }: AnswerSettings): number | undefined {
  const text = headerOf(answer, headers.wait) ?? "";
  return /^\d{1,5}$/.test(text) ? Math.min(Number(text), maxWaitSeconds) : undefined;
}

/** The fault of a status that is no decision. */
export function faultOf(status: number, session: string): RemoteFault {
  const text = `status ${status}${session}`;
  if (status === 429) return new RemoteFault("rate_limited", text);
  if (status === 401 || status === 403) return new RemoteFault("caller_refused", `${text}: this site's credentials`);
  if (status >= 502 && status <= 504) return new RemoteFault("busy", text);
  if (status >= 500) return new RemoteFault("failed", text);
  return status >= 400 ? new RemoteFault("request_refused", text) : malformed(text);
}

/**
 * What an answer to an authentication request says. Only an answer without contradictions is a decision: a denial has the configured status,
 * a header with the outcome and no object, so that a caller who is refused, or a proxy's page, is never taken for a wrong password.
 *
 * @throws RemoteFault for everything else; no other error
 */
export function readAnswer(answer: ReceivedAnswer, settings: AnswerSettings): RemoteDecision {
  const { headers, denialStatus } = settings;
  const { status } = answer;
  const outcome = headerOf(answer, headers.status)?.trim() ?? "";
  const isOk = outcome.toUpperCase() === "OK";
  if (status === 200) {
    if (!isOk) throw malformed(`the status is 200, but the header ${headers.status} is not OK`);
    checkFormat(answer, settings);
    return { kind: "ok", account: accountOf(answer, settings) };
  }
  if (status !== denialStatus || outcome === "") throw faultOf(status, sessionOf(answer, headers.session));
  if (isOk || bodyOf(answer, settings) !== null)
    throw malformed(`the status is ${status}, but the answer has an object`);
  return { kind: "denied", waitSeconds: waitOf(answer, settings) };
}
