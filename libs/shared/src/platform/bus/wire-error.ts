import { AppError, type ErrorOnWire } from "../errors/app-error.ts";
import type { Codec } from "./codec.ts";

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
