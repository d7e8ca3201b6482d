import type { AuthRequest } from "@postern/shared/contracts";
import { type CborEncodable, encodeCbor } from "@postern/shared/platform/cbor";
import { readAuthFields } from "./auth-fields.ts";
import { cborMediaType, readCbor } from "./cbor.ts";
import { completeRequest, type RequestFacts } from "./complete-request.ts";
import {
  createObjectRenderer,
  type ObjectFormat,
  type ObjectRenderer,
  type ObjectRendererDeps,
} from "./renderers.ts";
import { parseAuthQuery } from "./query.ts";

export interface CborInput {
  readonly url: string;
  readonly contentType: string | undefined;
  readonly body: Buffer;
  readonly facts: RequestFacts;
}

/**
 * Parses `POST /api/v1/auth/cbor`.
 *
 * @throws AppError of kind `caller`: the request is answered with 400.
 */
export function parseCborRequest({ url, contentType, body, facts }: CborInput): AuthRequest {
  const query = parseAuthQuery(url);
  return completeRequest(readAuthFields(readCbor(contentType, body)), query, facts);
}

/** The message of a denial if no policy or script provides one. */
const denialText = "Invalid login or password";

const contentTypeHeader = ["Content-Type", cborMediaType] as const;
function cborBody(value: CborEncodable): string {
  return encodeCbor(value).toString("latin1");
}

const nullBody = cborBody(null);

const cborFormat: ObjectFormat = {
  object: (status, headers, value) => ({ status, headers: [...headers, contentTypeHeader], body: cborBody(value) }),
  nothing: (status, headers) => ({ status, headers: [...headers, contentTypeHeader], body: nullBody }),
};

/**
 * The same answers as JSON, in deterministic CBOR; `Auth-Status` of a denial is always the rendered message (ADR 0013).
 */
export function createCborRenderer(deps: ObjectRendererDeps): ObjectRenderer {
  return createObjectRenderer(deps, cborFormat, denialText);
}
