import { AppError } from "@postern/shared/platform/errors";
import { parseStrictJson, StrictJsonError } from "@postern/shared/platform/http";
import type { FieldReader } from "./auth-fields.ts";
import { readForm } from "./form.ts";
import { mediaTypeOf } from "./media-type.ts";

function malformed(reason: string): AppError {
  return new AppError("REQUEST_MALFORMED", { publicMessage: reason });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The members of a body. */
export interface BodyMembers {
  readonly read: FieldReader;
  /** The names of all members, where the format tells them at no cost. */
  readonly names?: readonly string[];
}

function readJson(body: Buffer): BodyMembers {
  let value: unknown;
  try {
    value = parseStrictJson(body);
  } catch (thrown) {
    throw thrown instanceof StrictJsonError ? malformed(thrown.message) : thrown;
  }
  if (!isRecord(value)) throw malformed("the body must be a JSON object");
  const record = value;
  // No field has the name of an inherited object member, and JSON's `__proto__` is an ordinary member.
  return { read: (wireName) => record[wireName], names: Object.keys(record) };
}

/**
 * Reads a JSON body, or a form with the same field names.
 *
 * @throws AppError REQUEST_MEDIA_TYPE, REQUEST_MALFORMED
 */
export function readJsonOrForm(contentType: string | undefined, body: Buffer): BodyMembers {
  switch (mediaTypeOf(contentType)) {
    case "application/json":
      return readJson(body);
    case "application/x-www-form-urlencoded":
      return { read: readForm(body) };
    default:
      throw new AppError("REQUEST_MEDIA_TYPE");
  }
}
