import { AppError } from "@postern/shared/errors";
import type { FieldReader } from "./auth-fields.ts";
import { decodePercents } from "./percent-decode.ts";

const maxFields = 256;

function malformed(reason: string): AppError {
  return new AppError("REQUEST_MALFORMED", { publicMessage: reason });
}

export function isForm(contentType: string | undefined): boolean {
  const [type = ""] = (contentType ?? "").split(";", 1);
  return type.trim().toLowerCase() === "application/x-www-form-urlencoded";
}

function decoded(text: string): string {
  const value = decodePercents(text.replaceAll("+", " "));
  if (value === undefined) throw malformed("the form is not UTF-8");
  return value;
}

/**
 * The fields of a form (URL standard, §5.1), with UTF-8 demanded where the standard would replace what is none: a
 * password must not change on its way. A field that is read and stands there twice is refused.
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
    const value = decoded(equals === -1 ? "" : pair.slice(equals + 1));
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
