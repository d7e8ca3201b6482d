import { type AuthRequest, operation } from "@postern/shared/contracts";
import { decodeBase64Text } from "../http/base64-text.ts";
import type { WireNames } from "../http/naming.ts";
import { readAuthFields } from "./auth-fields.ts";
import { completeRequest } from "./complete-request.ts";
import type { DialectEndpoint } from "./dialect.ts";
import type { HeaderInput } from "./header.ts";
import { createHeaderReader, fieldHeaders, type RequestHeaderNames, requireHeader } from "./header-fields.ts";
import { plainQuery } from "./query.ts";
import { createPlainRenderer } from "./renderers.ts";
import { malformed } from "./request-error.ts";

/**
 * Fields that a user's own client may set; the other fields of the header dialect require an authenticated API caller.
 */
const permitted = new Set(["protocol", "method", "auth_login_attempt", "oidc_cid"]);

/** RFC 7617, with UTF-8: the first colon ends the user name. */
function credentials(authorization: unknown): { readonly username: string; readonly password: string } {
  if (typeof authorization !== "string") throw malformed("Authorization is required");
  const [, encoded] = /^basic +(\S+)$/i.exec(authorization) ?? [];
  const text = encoded === undefined ? undefined : decodeBase64Text(encoded);
  const colon = text?.indexOf(":") ?? -1;
  if (text === undefined || colon < 1) throw malformed("Authorization has no Basic credentials");
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** The credentials are the user's own, and `Auth-Protocol` is required. */
export function createBasicParser(names: RequestHeaderNames) {
  const allowed = Object.entries(fieldHeaders(names)).filter(([field]) => permitted.has(field));
  const headers = { ...Object.fromEntries(allowed), authorization: "Authorization" };
  const readerOf = createHeaderReader(headers);
  return ({ rawHeaders, facts }: HeaderInput): AuthRequest => {
    const read = readerOf(rawHeaders);
    const user = credentials(read("authorization"));
    requireHeader(read, "protocol", headers);
    return completeRequest({ ...readAuthFields(read), ...user }, plainQuery, facts);
  };
}

/** `GET /api/v1/auth/basic`. */
export function basicEndpoint(names: WireNames, requestHeaders: RequestHeaderNames) {
  return {
    dialect: "basic",
    operations: [operation("authenticateBasic")],
    takesUserCredentials: true,
    parse: createBasicParser(requestHeaders),
    ...createPlainRenderer(names),
  } satisfies DialectEndpoint;
}
