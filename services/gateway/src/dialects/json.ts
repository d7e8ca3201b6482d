import type { AuthRequest } from "@postern/shared/contracts";
import { readAuthFields } from "./auth-fields.ts";
import { readJsonOrForm } from "./json.ts";
import { completeRequest, type RequestFacts } from "./complete-request.ts";
import {
  createObjectRenderer,
  type ObjectFormat,
  type ObjectRenderer,
  type ObjectRendererDeps,
} from "./renderers.ts";
import { parseAuthQuery } from "./query.ts";
import { jsonNullReply, jsonReply } from "../http/reply.ts";

export interface JsonInput {
  readonly url: string;
  readonly contentType: string | undefined;
  readonly body: Buffer;
  readonly facts: RequestFacts;
}

/**
 * Parses `POST /api/v1/auth/json`.
 *
 * @throws AppError of kind `caller`: the request is answered with 400.
 */
export function parseJsonRequest({ url, contentType, body, facts }: JsonInput): AuthRequest {
  const query = parseAuthQuery(url);
  const { read, names } = readJsonOrForm(contentType, body);
  return completeRequest(readAuthFields(read, names), query, facts);
}

const jsonFormat: ObjectFormat = { object: jsonReply, nothing: jsonNullReply };

export function createJsonRenderer(deps: ObjectRendererDeps): ObjectRenderer {
  return createObjectRenderer(deps, jsonFormat, "FAIL");
}
