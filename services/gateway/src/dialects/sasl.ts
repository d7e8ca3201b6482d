import type { AuthRequest } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { type FieldReader, readAuthFields } from "./auth-fields.ts";
import { completeRequest, type RequestFacts } from "./complete-request.ts";
import { isForm, readForm } from "./form.ts";
import type { WireNames } from "../http/naming.ts";
import { plainQuery } from "./query.ts";
import { createStatusRenderer, type StatusRenderer } from "./renderers.ts";

export interface SaslInput {
  readonly contentType: string | undefined;
  readonly body: Buffer;
  readonly facts: RequestFacts;
}

/** Field of an authentication request → field of the SASL form. */
const formFields = new Map([
  ["protocol", "protocol"],
  ["local_port", "port"],
  ["method", "method"],
  ["ssl", "tls"],
  ["ssl_protocol", "security"],
  ["user_agent", "user_agent"],
  ["username", "username"],
  ["password", "password"],
]);

function withRealm(form: FieldReader): unknown {
  const username = form("username");
  const realm = form("realm");
  const joins = typeof username === "string" && username !== "" && typeof realm === "string" && realm !== "";
  return joins ? `${username}@${realm}` : username;
}

/**
 * Parses `POST /api/v1/auth/sasl`: the nine fields of its form and no others.
 *
 * @throws AppError of kind `caller`: the request is answered with 400.
 */
export function parseSaslRequest({ contentType, body, facts }: SaslInput): AuthRequest {
  if (!isForm(contentType)) throw new AppError("REQUEST_MEDIA_TYPE");
  const form = readForm(body);
  const fields = readAuthFields((wireName) => {
    const field = formFields.get(wireName);
    if (field === undefined) return undefined;
    return field === "username" ? withRealm(form) : form(field);
  });
  return completeRequest(fields, plainQuery, facts);
}

/** The responses of the header dialect, without attributes and without `Auth-Wait`, which SASL daemons do not support. */
export function createSaslRenderer(names: WireNames): StatusRenderer {
  return createStatusRenderer(names, (headers) => headers, new Set(["Auth-Wait"]));
}
