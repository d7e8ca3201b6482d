import { CborError, decodeCbor } from "@postern/shared/cbor";
import { AppError } from "@postern/shared/errors";
import { type FieldReader, isFieldName } from "./auth-fields.ts";
import { mediaTypeOf } from "./media-type.ts";

export const cborMediaType = "application/cbor";

/** Names that are worth telling: what a caller can send as a name has no other bound than the body's. */
const tellableName = /^[\u0021-\u007e]{1,64}$/;

function malformed(reason: string): AppError {
  return new AppError("REQUEST_MALFORMED", { publicMessage: reason });
}

/** A refusal of the decoder in words for the caller. */
function refusal(thrown: unknown): unknown {
  if (!(thrown instanceof CborError)) return thrown;
  if (thrown.reason === "too-large") return new AppError("REQUEST_TOO_LARGE");
  return malformed(`the body is not acceptable CBOR: ${thrown.message}`);
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
 * Contract, "Authentication request", rule 2: one CBOR map of the contract's fields and no others. `null` stands for a
 * field that is not there, as in JSON.
 *
 * @throws AppError REQUEST_MEDIA_TYPE, REQUEST_MALFORMED, REQUEST_TOO_LARGE
 */
export function readCbor(contentType: string | undefined, body: Buffer): FieldReader {
  if (mediaTypeOf(contentType) !== cborMediaType) throw new AppError("REQUEST_MEDIA_TYPE");
  const fields = readMap(body);
  for (const name of fields.keys()) {
    if (!isFieldName(name)) throw malformed(tellableName.test(name) ? `unknown field ${name}` : "unknown field");
  }
  return (wireName) => fields.get(wireName);
}
