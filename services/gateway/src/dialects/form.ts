import type { AppError } from "@postern/shared/platform/errors";
import { decodePercents } from "../http/percent-decode.ts";
import type { FieldReader } from "./auth-fields.ts";
import { CredentialsError, malformed } from "./request-error.ts";

const maxFields = 256;

/** The media type of a `Content-Type`, in lower case and without parameters; empty if there is none. */
export function mediaTypeOf(contentType: string | undefined): string {
  if (contentType === undefined) return "";
  const end = contentType.indexOf(";");
  return (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

export function isForm(contentType: string | undefined): boolean {
  return mediaTypeOf(contentType) === "application/x-www-form-urlencoded";
}

function decoded(text: string): string | undefined {
  return decodePercents(text.replaceAll("+", " "));
}

/** A user name or password that is not UTF-8 was typed by a mail user, and is logged with the name. */
function notUtf8(name: string, fields: ReadonlyMap<string, readonly string[]>, raw: string): AppError {
  const fault = "the form is not UTF-8";
  if (name !== "username" && name !== "password") return malformed(fault);
  const username = name === "username" ? raw : fields.get("username")?.[0];
  return new CredentialsError(fault, { username, protocol: fields.get("protocol")?.[0] });
}

/**
 * Reads the fields of a form (URL standard, §5.1). Invalid UTF-8 is rejected where the standard would replace it, because a password must
 * not change in transit. A known field that occurs twice is rejected.
 *
 * @throws AppError REQUEST_MALFORMED
 */
export function readForm(body: Buffer): FieldReader {
  const pairs = body.toString("latin1").split("&", maxFields + 1);
  if (pairs.length > maxFields) throw malformed("the form has too many fields");
  const fields = new Map<string, string[]>();
  for (const pair of pairs) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decoded(equals === -1 ? pair : pair.slice(0, equals));
    if (name === undefined) throw malformed("the form is not UTF-8");
    const raw = equals === -1 ? "" : pair.slice(equals + 1);
    const value = decoded(raw);
    if (value === undefined) throw notUtf8(name, fields, raw);
    const values = fields.get(name);
    if (values === undefined) fields.set(name, [value]);
    else values.push(value);
  }
  return (wireName) => {
    const values = fields.get(wireName);
    if (values === undefined) return undefined;
    if (values.length > 1) throw malformed(`${wireName} is given more than once`);
    return values[0];
  };
}
