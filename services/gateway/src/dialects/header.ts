import { type AuthRequest, operation } from "@postern/shared/contracts";
import type { Logger } from "@postern/shared/platform/logging";
import type { WireNames } from "../http/naming.ts";
import type { AttributesAsHeaders } from "./attribute-headers.ts";
import { readAuthFields } from "./auth-fields.ts";
import { completeRequest } from "./complete-request.ts";
import type { DialectEndpoint, DialectInput } from "./dialect.ts";
import { createHeaderReader, fieldHeaders, type RequestHeaderNames, requireHeader } from "./header-fields.ts";
import { type AuthQuery, parseAuthQuery, plainQuery } from "./query.ts";
import { createRenderer } from "./renderers.ts";
import { CredentialsError } from "./request-error.ts";

export type HeaderInput = Pick<DialectInput, "url" | "rawHeaders" | "facts">;

/**
 * Parses requests of the header and proxy dialects. A missing password is treated as empty, which the decision denies.
 *
 * @param takesQuery whether the endpoint accepts `mode`, `in-memory` and `cache`
 */
export function createHeaderParser(names: RequestHeaderNames, takesQuery: boolean) {
  const headers = fieldHeaders(names);
  const readerOf = createHeaderReader(headers);
  return ({ url, rawHeaders, facts }: HeaderInput): AuthRequest => {
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

interface HeaderParts {
  readonly names: WireNames;
  readonly attributeHeaders: AttributesAsHeaders;
  readonly settings: { readonly requestHeaders: RequestHeaderNames };
  readonly logger: Pick<Logger, "warn">;
}

/** Limit for attributes in headers; common clients stop reading at 16 KiB. */
const maxAttributeBytes = 12_288;

/** `POST /api/v1/auth/header`: 200 with an empty body and the attributes in headers. A body of the request is ignored. */
export function headerEndpoint({ names, attributeHeaders, settings, logger }: HeaderParts) {
  return {
    dialect: "header",
    operations: [operation("authenticateHeader")],
    listsAccounts: true,
    parse: createHeaderParser(settings.requestHeaders, true),
    ...createRenderer({
      names,
      success: (common, decision, session) => {
        const { headers, leftOut } = attributeHeaders(decision.attributes, maxAttributeBytes);
        if (leftOut.length > 0)
          logger.warn({ session, attributes: leftOut.slice(0, 16) }, "attributes too large for headers");
        return { status: 200, headers: [...common, ...headers], body: "" };
      },
    }),
  } satisfies DialectEndpoint;
}
