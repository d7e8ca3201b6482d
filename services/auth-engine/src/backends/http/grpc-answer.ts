import { Readable } from "node:stream";
import { type Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { malformed, type OpenAnswer, type ReceivedAnswer, RemoteFault } from "./exchange.ts";
import type { HttpBackendSettings } from "./http-settings.ts";
import type { RemoteMode } from "./request.ts";

type Names = HttpBackendSettings["headers"];
type Headers = ReceivedAnswer["headers"];

/** Values of the enum in the proto file. */
const decisions = { ok: 1, fail: 2, tempfail: 3 } as const;

/** The metadata that is a header over HTTP. */
export function headersOf(metadata: Metadata | undefined, { session }: Names): Headers {
  const value = metadata?.get(session)[0];
  return typeof value === "string" ? { [session]: value } : {};
}

function answerOf(code: number, headers: Headers, type: string, text: string): OpenAnswer {
  const body = Buffer.from(text);
  const described = { "content-type": type, "content-length": String(body.length) };
  return {
    status: code,
    headers: { ...headers, ...described },
    body: Readable.from(body.length === 0 ? [] : [body]),
    discard: async () => undefined,
  };
}

const json = "application/json";

function valuesOf(attributes: unknown): Readonly<Record<string, unknown>> {
  const entries: readonly (readonly [string, unknown])[] = Object.entries(Object(attributes));
  return Object.fromEntries(entries.map(([name, holder]) => [name, Object(holder).values ?? []]));
}

/** `AuthResponse` as the answer of the JSON endpoint. @throws RemoteFault for one that contradicts itself */
export function decisionAnswer(message: Readonly<Record<string, unknown>>, headers: Headers, names: Names): OpenAnswer {
  const { ok, decision, account_field: account, totp_secret_field: totp, attributes } = message;
  if (decision === decisions.tempfail && ok !== true) return answerOf(500, headers, json, "");
  if (decision === decisions.fail && ok !== true) {
    return answerOf(403, { ...headers, [names.status]: "FAIL" }, json, "");
  }
  if (decision !== decisions.ok || ok !== true) throw malformed("ok contradicts the decision");
  const body = { ok, account_field: account, totp_secret_field: totp, attributes: valuesOf(attributes) };
  return answerOf(200, { ...headers, [names.status]: "OK" }, json, JSON.stringify(body));
}

/** `ListAccountsResponse` as a list of lines. @throws RemoteFault for a name that would be several lines */
export function listAnswer({ accounts }: Readonly<Record<string, unknown>>, headers: Headers): OpenAnswer {
  const names: readonly unknown[] = Array.isArray(accounts) ? accounts : [];
  if (names.some((name) => typeof name !== "string" || /[\r\n]/u.test(name))) {
    throw malformed("the list contains what is no name");
  }
  return answerOf(200, headers, "text/plain", names.join("\n"));
}

/** The statuses of the HTTP interface for what a gateway answers. */
const statuses = new Map<status, number>([
  [status.UNAUTHENTICATED, 401],
  [status.PERMISSION_DENIED, 403],
  [status.RESOURCE_EXHAUSTED, 429],
  [status.INVALID_ARGUMENT, 400],
  [status.FAILED_PRECONDITION, 400],
  [status.OUT_OF_RANGE, 400],
  [status.NOT_FOUND, 404],
  [status.UNIMPLEMENTED, 404],
]);

/** Texts of the library about a message that it did not accept. */
const tooLong = "Received message";
const unreadable = "Response message parsing error";

/** A call without a message: an answer about the caller or the request. @throws RemoteFault if there is no answer */
export function refusalAnswer(
  { code, details, metadata }: Pick<ServiceError, "code" | "details" | "metadata">,
  mode: RemoteMode | undefined,
  names: Names,
): OpenAnswer {
  const text = details.slice(0, 200);
  if (code === status.DEADLINE_EXCEEDED) throw new RemoteFault("timeout", text);
  if (code === status.UNAVAILABLE || code === status.CANCELLED) throw new RemoteFault("unreachable", text);
  const isTooLong = details.startsWith(tooLong) || mode === "list-accounts";
  if (code === status.RESOURCE_EXHAUSTED && isTooLong) throw new RemoteFault("oversized", text);
  if (code === status.UNKNOWN || details.startsWith(unreadable)) throw malformed(text);
  return answerOf(statuses.get(code) ?? 500, headersOf(metadata, names), json, "");
}
