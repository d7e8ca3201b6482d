import { isUtf8 } from "node:buffer";
import fc from "fast-check";
import { expect, test } from "vitest";
import { FormEncodingError, FormTooLargeError, readFormBody, readUtf8Form } from "./utf8-form.ts";

const escaped = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");

test("a password of any bytes, escaped or not, is read unchanged or rejected", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), fc.boolean(), (bytes, isEscaped) => {
      const plain = Buffer.from(bytes.filter((byte) => !"%&+=".includes(String.fromCharCode(byte))));
      const value = isEscaped ? Buffer.from(escaped(bytes)) : plain;
      const sent = isEscaped ? Buffer.from(bytes) : plain;
      const form = Buffer.concat([Buffer.from("username=a&password="), value, Buffer.from("&csrf_token=x")]);
      if (isUtf8(sent)) expect(readUtf8Form(form).get("password")).toBe(sent.toString("utf8"));
      else expect(() => readUtf8Form(form)).toThrow(FormEncodingError);
    }),
  );
});

test("escapes are decoded as the URL standard defines, in any context", () => {
  const part = fc.oneof(fc.constantFrom("%", "%4", "%41", "%C3%A4", "%zz", "a", "="), fc.string({ maxLength: 3 }));
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const form = Buffer.from(parts.join(""));
      const read = new URLSearchParams(form.toString("utf8")).toString();
      const isReplaced = read.includes("%EF%BF%BD") && !form.includes("\ufffd");
      if (!isReplaced) expect(readUtf8Form(form).toString()).toBe(read);
    }),
  );
});

test("a body above the limit is rejected, and one at the limit is read", () => {
  expect(readFormBody(Buffer.from("a=bc"), 4).get("a")).toBe("bc");
  expect(() => readFormBody(Buffer.from("a=bcd"), 4)).toThrow(FormTooLargeError);
});

test("a character whose bytes continue in another field is rejected", () => {
  expect(() => readUtf8Form(Buffer.from("a=%c3&%a4=b"))).toThrow("the form is not UTF-8");
});

test("typed text is read unchanged, including U+FFFD and percent signs without digits", () => {
  const typed = "ä+%zz\ufffd😀";
  expect(readUtf8Form(Buffer.from(new URLSearchParams({ password: typed }).toString())).get("password")).toBe(typed);
  expect(readUtf8Form(Buffer.from("password=100%")).get("password")).toBe("100%");
});
