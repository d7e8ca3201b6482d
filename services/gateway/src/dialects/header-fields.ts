import { authFields } from "@postern/shared/contracts";
import type { AppError } from "@postern/shared/platform/errors";
import { decodeBase64Text } from "../http/base64-text.ts";
import { decodeLatin1, decodePercents, decodeUtf8 } from "../http/percent-decode.ts";
import type { FieldReader } from "./auth-fields.ts";
import { CredentialsError, malformed } from "./request-error.ts";

type Field = keyof typeof authFields;
type HeaderKey = Exclude<(typeof authFields)[Field]["header"], undefined> | "password_encoded";

/** Field → key of `auth.request.headers`. */
const keyOfField: readonly (readonly [field: string, key: HeaderKey])[] = [
  ...Object.entries(authFields).flatMap(([field, { header }]) =>
    header === undefined ? [] : [[field, header] as const],
  ),
  ["password_encoded", "password_encoded"],
];

/**
 * `auth.request.headers`. The client's address and port are not read here: whether they count depends on the sender, so they are part of
 * the facts of the connection.
 */
export type RequestHeaderNames = Readonly<Record<HeaderKey, string>>;

/** The header of each field; a field whose name the site has set to empty is not read. */
export type FieldHeaders = Readonly<Partial<Record<string, string>>>;

export function fieldHeaders(names: RequestHeaderNames): FieldHeaders {
  return Object.fromEntries(
    keyOfField.map(([field, key]) => [field, names[key]] as const).filter(([, header]) => header !== ""),
  );
}

function collect(rawHeaders: readonly string[], wanted: ReadonlySet<string>): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    if (!wanted.has(name)) continue;
    if (found.has(name)) throw malformed(`${rawHeaders[index]} is given more than once`);
    found.set(name, rawHeaders[index + 1] ?? "");
  }
  return found;
}

/** Decoders of `Auth-Pass` by `Auth-Password-Encoded`. Without that, the password has escapes, as nginx writes it. */
const passwordDecoders: Readonly<Record<string, (byteText: string) => string | undefined>> = {
  "": decodePercents,
  "0": decodeUtf8,
  "1": decodeBase64Text,
};

/** Reads a field of one request's headers, undecoded. */
type Found = (field: string) => string | undefined;

/** @throws AppError if `Auth-Password-Encoded` is neither 0 nor 1 */
function passwordDecoder(found: Found, headers: FieldHeaders) {
  const flag = found("password_encoded") ?? "";
  const decode = Object.hasOwn(passwordDecoders, flag) ? passwordDecoders[flag] : undefined;
  if (decode === undefined) throw malformed(`${headers["password_encoded"]} must be 0 or 1`);
  return decode;
}

/**
 * Invalid bytes in a user name or password were typed by a mail user and count as wrong credentials; anywhere else they are the caller's
 * mistake.
 */
function notUtf8(field: string, found: Found, headers: FieldHeaders): AppError {
  const fault = `${headers[field]} is not UTF-8`;
  if (field !== "username" && field !== "password") return malformed(fault);
  return new CredentialsError(fault, { username: found("username"), protocol: found("protocol") });
}

/**
 * Reads fields from headers: some are percent-decoded, each header may occur once (proxies disagree on which of two counts), and the
 * password is decoded by `Auth-Password-Encoded`.
 */
export function createHeaderReader(headers: FieldHeaders): (rawHeaders: readonly string[]) => FieldReader {
  const lowerNames = new Map(
    Object.entries(headers).flatMap(([field, header]) => (header === undefined ? [] : [[field, header.toLowerCase()]])),
  );
  const wanted = new Set(lowerNames.values());
  return (rawHeaders) => {
    const values = collect(rawHeaders, wanted);
    const found: Found = (field) => values.get(lowerNames.get(field) ?? "");
    const decodePassword = passwordDecoder(found, headers);
    return (field) => {
      const value = found(field);
      if (value === undefined) return undefined;
      const decoded = field === "password" ? decodePassword(value) : decodePercents(value);
      if (decoded !== undefined) return decoded;
      // Names in certificates may be Latin-1 or T.61, which does not make the request malformed.
      if (field.startsWith("ssl_")) return decodeLatin1(value);
      if (field === "password" && decodePassword === decodeBase64Text)
        throw malformed(`${headers[field]} is not Base64`);
      throw notUtf8(field, found, headers);
    };
  };
}

/**
 * Requires a header that the endpoint cannot do without.
 *
 * @throws AppError REQUEST_MALFORMED
 */
export function requireHeader(read: FieldReader, field: Field, { [field]: header }: FieldHeaders): void {
  const value = read(field);
  if (value === undefined || value === "") throw malformed(`${header ?? field} is required`);
}
