import { AppError } from "@postern/shared/errors";
import type { FieldReader } from "./auth-fields.ts";
import { decodeBase64Text } from "./base64-text.ts";
import { decodePercents } from "./percent-decode.ts";

/** Contract, "Request and response headers of header-style endpoints": field → key of `auth.request.headers`. */
const keyOfField = {
  username: "username",
  password: "password",
  password_encoded: "password_encoded",
  protocol: "protocol",
  method: "auth_method",
  auth_login_attempt: "login_attempt",
  client_hostname: "client_host",
  client_id: "client_id",
  external_session_id: "external_session_id",
  local_ip: "local_ip",
  local_port: "local_port",
  oidc_cid: "oidc_cid",
  ssl: "ssl",
  ssl_session_id: "ssl_session_id",
  ssl_client_verify: "ssl_verify",
  ssl_client_dn: "ssl_subject",
  ssl_client_cn: "ssl_client_cn",
  ssl_issuer: "ssl_issuer",
  ssl_client_notbefore: "ssl_client_not_before",
  ssl_client_notafter: "ssl_client_not_after",
  ssl_subject_dn: "ssl_subject_dn",
  ssl_issuer_dn: "ssl_issuer_dn",
  ssl_client_subject_dn: "ssl_client_subject_dn",
  ssl_client_issuer_dn: "ssl_client_issuer_dn",
  ssl_cipher: "ssl_cipher",
  ssl_protocol: "ssl_protocol",
  ssl_serial: "ssl_serial",
  ssl_fingerprint: "ssl_fingerprint",
} as const;

export type HeaderField = keyof typeof keyOfField;

/**
 * `auth.request.headers`. The client's address and port are none of them here: they depend on who sent them, and come
 * with the facts of the connection.
 */
export type RequestHeaderNames = Readonly<Record<(typeof keyOfField)[HeaderField], string>>;

/** The header of each field; a field whose name the site has emptied is not read. */
export type FieldHeaders = Readonly<Partial<Record<string, string>>>;

/** Headers as they came: name, value, name, value … (`IncomingMessage.rawHeaders`). */
export type RawHeaders = readonly string[];

export function fieldHeaders(names: RequestHeaderNames): FieldHeaders {
  return Object.fromEntries(
    Object.entries(keyOfField)
      .map(([field, key]) => [field, names[key]] as const)
      .filter(([, header]) => header !== ""),
  );
}

function malformed(reason: string): AppError {
  return new AppError("REQUEST_MALFORMED", { publicMessage: reason });
}

function collect(rawHeaders: RawHeaders, wanted: ReadonlySet<string>): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    if (!wanted.has(name)) continue;
    if (found.has(name)) throw malformed(`${rawHeaders[index]} is given more than once`);
    found.set(name, rawHeaders[index + 1] ?? "");
  }
  return found;
}

/**
 * Reads fields from headers: percent-decoded in part, each header at most once (proxies disagree on which of two
 * counts), the password out of its Base64 where a header says so.
 */
export function createHeaderReader(headers: FieldHeaders): (rawHeaders: RawHeaders) => FieldReader {
  const lowerNames = new Map(
    Object.entries(headers).flatMap(([field, header]) => (header === undefined ? [] : [[field, header.toLowerCase()]])),
  );
  const wanted = new Set(lowerNames.values());
  return (rawHeaders) => {
    const found = collect(rawHeaders, wanted);
    const text = (field: string): string | undefined => {
      const value = found.get(lowerNames.get(field) ?? "");
      if (value === undefined) return undefined;
      const decoded = decodePercents(value);
      if (decoded === undefined) throw malformed(`${headers[field]} is not UTF-8`);
      return decoded;
    };
    return (field) => {
      const value = text(field);
      if (field !== "password" || value === undefined || text("password_encoded") !== "1") return value;
      const password = decodeBase64Text(value);
      if (password === undefined) throw malformed(`${headers[field]} is not Base64`);
      return password;
    };
  };
}

/**
 * A header that the contract requires of an endpoint.
 *
 * @throws AppError REQUEST_MALFORMED
 */
export function requireHeader(read: FieldReader, field: HeaderField, { [field]: header }: FieldHeaders): void {
  const value = read(field);
  if (value === undefined || value === "") throw malformed(`${header ?? field} is required`);
}
