import { type AuthRequest, operation } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { parseStrictJson, StrictJsonError } from "@postern/shared/platform/http";
import { readAuthFields } from "./auth-fields.ts";
import { completeRequest } from "./complete-request.ts";
import type { BodyInput, DialectEndpoint } from "./dialect.ts";
import { mediaTypeOf, readForm } from "./form.ts";
import { parseAuthQuery } from "./query.ts";
import { createObjectRenderer, jsonFormat, type ObjectRendererParts } from "./renderers.ts";
import { malformed } from "./request-error.ts";

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Reads a body that is one JSON object.
 *
 * @throws AppError REQUEST_MALFORMED
 */
export function readJsonObject(body: Buffer): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parseStrictJson(body);
  } catch (thrown) {
    throw thrown instanceof StrictJsonError ? malformed(thrown.message) : thrown;
  }
  if (!isRecord(value)) throw malformed("the body must be a JSON object");
  return value;
}

/** Reads a JSON body, or a form with the same field names. */
function readFields(contentType: string | undefined, body: Buffer) {
  switch (mediaTypeOf(contentType)) {
    case "application/json": {
      const record = readJsonObject(body);
      // No field has the name of an inherited object member, and JSON's `__proto__` is an ordinary member.
      return readAuthFields((wireName) => record[wireName], Object.keys(record));
    }
    case "application/x-www-form-urlencoded":
      return readAuthFields(readForm(body));
    default:
      throw new AppError("REQUEST_MEDIA_TYPE");
  }
}

export function parseJsonRequest({ url, contentType, body, facts }: BodyInput): AuthRequest {
  const query = parseAuthQuery(url);
  return completeRequest(readFields(contentType, body), query, facts);
}

/** `POST /api/v1/auth/json`. */
export function jsonEndpoint(parts: ObjectRendererParts) {
  return {
    dialect: "json",
    operations: [operation("authenticateJson")],
    listsAccounts: true,
    parse: parseJsonRequest,
    ...createObjectRenderer(parts, jsonFormat, "FAIL"),
  } satisfies DialectEndpoint;
}
