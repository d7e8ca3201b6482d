import { isUtf8 } from "node:buffer";
import { AppError } from "@postern/shared/errors";
import type { FieldReader } from "./auth-fields.ts";
import { readForm } from "./form.ts";
import { mediaTypeOf } from "./media-type.ts";

function malformed(reason: string): AppError {
  return new AppError("REQUEST_MALFORMED", { publicMessage: reason });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function readJson(body: Buffer): FieldReader {
  if (!isUtf8(body)) throw malformed("the body is not UTF-8");
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch {
    throw malformed("the body is not valid JSON");
  }
  if (!isRecord(value)) throw malformed("the body must be a JSON object");
  const record = value;
  // No field of the contract has a name that objects inherit, and a member `__proto__` of JSON is one as any other.
  return (wireName) => record[wireName];
}

/**
 * Contract, `POST /api/v1/auth/json`: JSON, or a form with the same field names.
 *
 * @throws AppError REQUEST_MEDIA_TYPE, REQUEST_MALFORMED
 */
export function readJsonOrForm(contentType: string | undefined, body: Buffer): FieldReader {
  switch (mediaTypeOf(contentType)) {
    case "application/json":
      return readJson(body);
    case "application/x-www-form-urlencoded":
      return readForm(body);
    default:
      throw new AppError("REQUEST_MEDIA_TYPE");
  }
}
