import { type AuthRequest, operation } from "@postern/shared/contracts";
import { CborError, decodeCbor, encodeCbor } from "@postern/shared/platform/cbor";
import { AppError } from "@postern/shared/platform/errors";
import { type FieldReader, isFieldName, readAuthFields } from "./auth-fields.ts";
import { completeRequest } from "./complete-request.ts";
import type { BodyInput, DialectEndpoint } from "./dialect.ts";
import { mediaTypeOf } from "./form.ts";
import { parseAuthQuery } from "./query.ts";
import { type BodyFormat, createObjectRenderer, type ObjectRendererParts } from "./renderers.ts";
import { malformed } from "./request-error.ts";

const mediaType = "application/cbor";

/** Field names that may appear in an error; otherwise only the body limits their length. */
const printableName = /^[\u0021-\u007e]{1,64}$/;

function refusal(thrown: unknown): unknown {
  if (!(thrown instanceof CborError)) return thrown;
  if (thrown.reason === "too-large") return new AppError("REQUEST_TOO_LARGE");
  return malformed(`the CBOR body was rejected: ${thrown.message}`);
}

function readMap(body: Buffer): ReadonlyMap<string, unknown> {
  let value: unknown;
  try {
    value = decodeCbor(body);
  } catch (thrown) {
    throw refusal(thrown);
  }
  if (!(value instanceof Map)) throw malformed("the body must be a CBOR map");
  return value;
}

/** Reads one CBOR map of known fields only. `null` means that the field is absent, as in JSON. */
function readCbor(contentType: string | undefined, body: Buffer): FieldReader {
  if (mediaTypeOf(contentType) !== mediaType) throw new AppError("REQUEST_MEDIA_TYPE");
  const fields = readMap(body);
  for (const name of fields.keys()) {
    if (!isFieldName(name)) throw malformed(printableName.test(name) ? `unknown field ${name}` : "unknown field");
  }
  return (wireName) => fields.get(wireName);
}

export function parseCborRequest({ url, contentType, body, facts }: BodyInput): AuthRequest {
  const query = parseAuthQuery(url);
  return completeRequest(readAuthFields(readCbor(contentType, body)), query, facts);
}

/** The message of a denial if no policy or script provides one. */
const denialText = "Invalid login or password";

const contentTypeHeader = ["Content-Type", mediaType] as const;
const nullBody = encodeCbor(null).toString("latin1");

const cborFormat: BodyFormat = {
  object: (status, headers, value) => ({
    status,
    headers: [...headers, contentTypeHeader],
    body: encodeCbor(value).toString("latin1"),
  }),
  nothing: (status, headers) => ({ status, headers: [...headers, contentTypeHeader], body: nullBody }),
};

/**
 * `POST /api/v1/auth/cbor`: the same answers as JSON, in deterministic CBOR; `Auth-Status` of a denial is always the rendered message
 * (ADR 0013).
 */
export function cborEndpoint(parts: ObjectRendererParts) {
  return {
    dialect: "cbor",
    operations: [operation("authenticateCbor")],
    listsAccounts: true,
    parse: parseCborRequest,
    ...createObjectRenderer(parts, cborFormat, denialText),
  } satisfies DialectEndpoint;
}
