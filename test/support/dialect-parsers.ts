import { readFileSync } from "node:fs";
import { AppError } from "@postern/shared/platform/errors";
import { createBasicParser } from "../../services/gateway/src/dialects/basic.ts";
import { parseCborRequest } from "../../services/gateway/src/dialects/cbor.ts";
import type { RequestFacts } from "../../services/gateway/src/dialects/complete-request.ts";
import { createHeaderParser } from "../../services/gateway/src/dialects/header.ts";
import { parseJsonRequest } from "../../services/gateway/src/dialects/json.ts";
import { parseAuthQuery } from "../../services/gateway/src/dialects/query.ts";
import { parseSaslRequest } from "../../services/gateway/src/dialects/sasl.ts";
import { decodeBase64Text } from "../../services/gateway/src/http/base64-text.ts";
import { decodePercents } from "../../services/gateway/src/http/percent-decode.ts";
import { negotiateListType } from "../../services/gateway/src/list-accounts/negotiate.ts";
import { defaultHeaderNames } from "./header-names.ts";

/** A parser of what an API caller sends. It rejects by undefined or an AppError of kind `caller`. */
type Parse = (bytes: Buffer) => unknown;

const facts: RequestFacts = {
  session: "7d3f",
  dialect: "json",
  clientIp: "198.51.100.7",
  clientPort: "40000",
  clientIpIsPeer: false,
  userAgent: undefined,
  acceptLanguage: undefined,
};
const form = "application/x-www-form-urlencoded";
const url = "/api/v1/auth/json";
const names = defaultHeaderNames();
const parseHeader = createHeaderParser(names, true);
const parseBasic = createBasicParser(names);

/** The form in which Node returns headers: one character for each byte. */
const latin1 = (bytes: Buffer): string => bytes.toString("latin1");

/** `rawHeaders` from lines of `Name: value`. */
function headersIn(bytes: Buffer): string[] {
  return latin1(bytes)
    .split("\n")
    .flatMap((line) => {
      const colon = line.indexOf(":");
      return colon === -1 ? [line, ""] : [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
}

/** Every parser of the gateway for what API callers send, by the name of its seed file. */
export const dialectParsers = {
  json: (body) => parseJsonRequest({ url, contentType: "application/json", body, facts }),
  form: (body) => parseJsonRequest({ url, contentType: form, body, facts }),
  sasl: (body) => parseSaslRequest({ contentType: form, body, facts }),
  cbor: (body) => parseCborRequest({ url, contentType: "application/cbor", body, facts }),
  header: (bytes) => parseHeader({ url, rawHeaders: headersIn(bytes), facts }),
  basic: (bytes) => parseBasic({ url, rawHeaders: headersIn(bytes), facts }),
  query: (bytes) => parseAuthQuery(`${url}?${latin1(bytes)}`),
  percent: (bytes) => decodePercents(latin1(bytes)),
  base64: (bytes) => decodeBase64Text(latin1(bytes)),
  accept: (bytes) => negotiateListType(latin1(bytes)),
} as const satisfies Readonly<Record<string, Parse>>;

export type ParserName = keyof typeof dialectParsers;

const maxReasonCharacters = 200;

/** Whether the parser accepts the bytes. @throws if it fails in any way other than a rejection with a short reason */
export function isAccepted(name: ParserName, bytes: Buffer): boolean {
  try {
    return dialectParsers[name](bytes) !== undefined;
  } catch (error) {
    if (!(error instanceof AppError) || error.row.kind !== "caller") throw error;
    if (error.publicMessage.length > maxReasonCharacters) throw new Error("the reason is too long", { cause: error });
    return false;
  }
}

/** One item of a file in `test/corpora/dialects/`. */
export interface Seed {
  readonly what: string;
  readonly bytes: Buffer;
  readonly taken: boolean;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

const folder = new URL("../corpora/dialects/", import.meta.url);

/** Reads a file of the corpus. `test/corpora/dialects/README.md` describes the format. */
export function readSeeds(name: string): readonly Seed[] {
  const items: unknown = JSON.parse(readFileSync(new URL(`${name}.json`, folder), "utf8"));
  if (!Array.isArray(items)) throw new Error(`${name} is not a list`);
  return items.filter(isRecord).map(({ what, text, hex, times, taken }) => {
    const once = typeof hex === "string" ? Buffer.from(hex, "hex") : Buffer.from(String(text));
    const bytes = Buffer.concat(Array.from({ length: typeof times === "number" ? times : 1 }, () => once));
    return { what: String(what), bytes, taken: taken === true };
  });
}
