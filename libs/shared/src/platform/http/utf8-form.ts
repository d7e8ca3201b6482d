import { isUtf8 } from "node:buffer";

/** The bytes of a form are not UTF-8. The URL standard would replace them, which would change a password. */
export class FormEncodingError extends Error {
  /** The status with which Fastify answers. */
  readonly statusCode = 400;

  constructor() {
    super("the form is not UTF-8");
    this.name = "FormEncodingError";
  }
}

const percent = 0x25;

/** The form is larger than any form of the page or endpoint. */
export class FormTooLargeError extends Error {
  /** The status with which Fastify answers. */
  readonly statusCode = 413;

  constructor() {
    super("the form is too large");
    this.name = "FormTooLargeError";
  }
}

/**
 * The fields of a body. The body has been read to its end, within the gateway's limit: an earlier response would be lost
 * if the connection were reset while the body is still unread.
 *
 * @throws FormEncodingError FormTooLargeError
 */
export function readFormBody(body: Buffer, maxBytes: number): URLSearchParams {
  if (body.length > maxBytes) throw new FormTooLargeError();
  return readUtf8Form(body);
}

/** The value of each byte as a hexadecimal digit, or NaN. */
const digits = Array.from({ length: 256 }, (_, byte) => Number.parseInt(String.fromCharCode(byte), 16));

/**
 * The bytes of a form, with its escapes decoded. Separators are ASCII: the form is UTF-8 exactly if all its fields are.
 * Anyone can send a form, before a session is known: hence one pass and no allocation per escape.
 */
function bytesOf(form: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(form.length);
  let length = 0;
  for (let at = 0; at < form.length; at += 1) {
    const byte = form[at] ?? 0;
    const escaped = byte === percent ? escapeAt(form, at) : Number.NaN;
    if (Number.isNaN(escaped)) bytes[length] = byte;
    else {
      bytes[length] = escaped;
      at += 2;
    }
    length += 1;
  }
  return bytes.subarray(0, length);
}

/** The byte that `%xx` stands for, or NaN if two digits do not follow. */
function escapeAt(form: Buffer, at: number): number {
  const [high = Number.NaN, low = Number.NaN] = [digits[form[at + 1] ?? 0], digits[form[at + 2] ?? 0]];
  return 16 * high + low;
}

/**
 * The fields of a form (URL standard, §5.1). Its bytes must be UTF-8, both raw and unescaped. A query consists of the
 * characters that Node makes of its bytes.
 *
 * @throws FormEncodingError
 */
export function readUtf8Form(form: Buffer | string): URLSearchParams {
  const bytes = typeof form === "string" ? Buffer.from(form, "latin1") : form;
  if (!isUtf8(bytesOf(bytes))) throw new FormEncodingError();
  return new URLSearchParams(bytes.toString("utf8"));
}
