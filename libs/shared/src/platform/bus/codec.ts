import { Encoder } from "cbor-x";
import { AppError, type ErrorOnWire } from "../errors/app-error.ts";

export type Codec = ReturnType<typeof createCodec>;

/**
 * Encodes bus values as CBOR (RFC 8949): plain maps and byte strings, without cbor-x's record tags. Decoding throws when the bytes are not
 * valid CBOR.
 */
export function createCodec() {
  const encoder = new Encoder({ useRecords: false, mapsAsObjects: true, tagUint8Array: false });
  return {
    encode: (value: unknown): Uint8Array => encoder.encode(value),
    decode: (bytes: Uint8Array): unknown => encoder.decode(bytes),
  };
}

function isErrorOnWire(value: unknown): value is ErrorOnWire {
  if (typeof value !== "object" || value === null) return false;
  if (!("code" in value && typeof value.code === "string")) return false;
  if (!("publicMessage" in value && typeof value.publicMessage === "string")) return false;
  return !("retryAfterSeconds" in value) || typeof value.retryAfterSeconds === "number";
}

export function encodeError(codec: Codec, error: AppError): Uint8Array {
  return codec.encode(error.toWire());
}

/** Never throws: a body that cannot be decoded becomes a temporary failure. */
export function decodeError(codec: Codec, body: Uint8Array): AppError {
  try {
    const value = codec.decode(body);
    if (isErrorOnWire(value)) return AppError.fromWire(value);
    return new AppError("UPSTREAM_UNAVAILABLE", { detail: "error reply of unknown shape" });
  } catch (cause) {
    return new AppError("UPSTREAM_UNAVAILABLE", { detail: "unreadable error reply", cause });
  }
}
