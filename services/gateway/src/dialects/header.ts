import type { AuthRequest } from "@postern/shared/contracts";
import type { AttributesAsHeaders } from "./attribute-headers.ts";
import { readAuthFields } from "./auth-fields.ts";
import { completeRequest, type RequestFacts } from "./complete-request.ts";
import { CredentialsError } from "./complete-request.ts";
import {
  createHeaderReader,
  fieldHeaders,
  type RawHeaders,
  type RequestHeaderNames,
  requireHeader,
} from "./header-fields.ts";
import type { WireNames } from "../http/naming.ts";
import { type AuthQuery, parseAuthQuery, plainQuery } from "./query.ts";
import { createStatusRenderer, type StatusRenderer } from "./renderers.ts";

export interface HeaderInput {
  readonly url: string;
  readonly rawHeaders: RawHeaders;
  readonly facts: RequestFacts;
}

export interface HeaderParserOptions {
  readonly names: RequestHeaderNames;
  /** Whether the endpoint accepts `mode`, `in-memory` and `cache`. */
  readonly query: boolean;
}

/** @throws AppError of kind `caller`: the request is answered with 400. */
export type HeaderParser = (input: HeaderInput) => AuthRequest;

/**
 * Parses requests of the header and proxy dialects. A missing password is treated as empty, which the decision denies.
 */
export function createHeaderParser({ names, query: takesQuery }: HeaderParserOptions): HeaderParser {
  const headers = fieldHeaders(names);
  const readerOf = createHeaderReader(headers);
  return ({ url, rawHeaders, facts }) => {
    const query: AuthQuery = takesQuery ? parseAuthQuery(url) : plainQuery;
    const read = readerOf(rawHeaders);
    requireHeader(read, "protocol", headers);
    const fields = readAuthFields(read);
    if (read("username") === "" && query.operation !== "list-accounts") {
      throw new CredentialsError("username is empty", { username: "", protocol: fields.protocol });
    }
    const password = query.operation === "authenticate" ? { password: "" } : undefined;
    return completeRequest({ ...password, ...fields }, query, facts);
  };
}

export interface HeaderRendererDeps {
  readonly names: WireNames;
  readonly attributeHeaders: AttributesAsHeaders;
  /** Called with the attributes that did not fit into an answer. */
  readonly onLeftOut: (session: string, attributes: readonly string[]) => void;
}

/** Limit for attributes in headers; common clients stop reading at 16 KiB. */
const maxAttributeBytes = 12_288;

/** `POST /api/v1/auth/header`: 200 with an empty body and the attributes in headers. */
export function createHeaderRenderer({ names, attributeHeaders, onLeftOut }: HeaderRendererDeps): StatusRenderer {
  return createStatusRenderer(names, (common, decision, session) => {
    const { headers, leftOut } = attributeHeaders(decision.attributes, maxAttributeBytes);
    if (leftOut.length > 0) onLeftOut(session, leftOut);
    return [...common, ...headers];
  });
}
