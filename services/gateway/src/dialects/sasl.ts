import { type AuthRequest, operation } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import type { WireNames } from "../http/naming.ts";
import { type FieldReader, readAuthFields } from "./auth-fields.ts";
import { completeRequest } from "./complete-request.ts";
import type { BodyInput, DialectEndpoint } from "./dialect.ts";
import { isForm, readForm } from "./form.ts";
import { plainQuery } from "./query.ts";
import { createPlainRenderer } from "./renderers.ts";

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

/** Reads the nine fields of the form and no others. */
export function parseSaslRequest({ contentType, body, facts }: Omit<BodyInput, "url">): AuthRequest {
  if (!isForm(contentType)) throw new AppError("REQUEST_MEDIA_TYPE");
  const form = readForm(body);
  const fields = readAuthFields((wireName) => {
    const field = formFields.get(wireName);
    if (field === undefined) return undefined;
    return field === "username" ? withRealm(form) : form(field);
  });
  return completeRequest(fields, plainQuery, facts);
}

/** `POST /api/v1/auth/sasl`, for saslauthd and similar daemons. */
export function saslEndpoint(names: WireNames) {
  return {
    dialect: "sasl",
    operations: [operation("authenticateSasl")],
    parse: parseSaslRequest,
    ...createPlainRenderer(names),
  } satisfies DialectEndpoint;
}
