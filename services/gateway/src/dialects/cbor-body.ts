import { CborError, decodeCbor } from "@postern/shared/platform/cbor";
import { AppError } from "@postern/shared/platform/errors";
import { type FieldReader, isFieldName } from "./auth-fields.ts";
import { mediaTypeOf } from "./media-type.ts";

export const cborMediaType = "application/cbor";

/** Field names that may appear in an error; otherwise only the body limits their length. */
const printableName = /^[\u0021-\u007e]{1,64}$/;

function malformed(reason: string): AppError {
  return new AppError("REQUEST_MALFORMED", { publicMessage: reason });
}

/** Converts an error of the decoder to a message for the caller. */
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

/**
 * Reads one CBOR map of known fields only. `null` means that the field is absent, as in JSON.
 *
 * @throws AppError REQUEST_MEDIA_TYPE, REQUEST_MALFORMED, REQUEST_TOO_LARGE
 */
export function readCbor(contentType: string | undefined, body: Buffer): FieldReader {
  if (mediaTypeOf(contentType) !== cborMediaType) throw new AppError("REQUEST_MEDIA_TYPE");
  const fields = readMap(body);
  for (const name of fields.keys()) {
    if (!isFieldName(name)) throw malformed(printableName.test(name) ? `unknown field ${name}` : "unknown field");
  }
  return (wireName) => fields.get(wireName);
}
