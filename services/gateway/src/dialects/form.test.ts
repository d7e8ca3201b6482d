import { AppError } from "@postern/shared/platform/errors";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isForm, readForm } from "./form.ts";

function reasonOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof AppError && error.row.kind === "caller") return error.publicMessage;
    throw error;
  }
  throw new Error("was taken");
}

test("forms of URLSearchParams survive the round trip", () => {
  const fields = fc.dictionary(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), { maxKeys: 20 });
  fc.assert(
    fc.property(fields, (record) => {
      const read = readForm(Buffer.from(new URLSearchParams(record).toString()));
      for (const [name, value] of Object.entries(record)) expect(read(name)).toBe(value);
    }),
  );
});

test("well-formed forms are parsed like URLSearchParams does", () => {
  const units = fc.constantFrom("g", "h", "=", "&", "+", "%", "%4", "%41", "%c3%a4", "%zz");
  fc.assert(
    fc.property(fc.array(units, { maxLength: 20 }), (parts) => {
      const body = parts.join("");
      const expected = new URLSearchParams(body);
      const read = readForm(Buffer.from(body));
      for (const name of new Set(expected.keys())) {
        if (expected.getAll(name).length === 1) expect(read(name)).toBe(expected.get(name));
      }
    }),
  );
});

test("any bytes result in fields or a reason", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      try {
        readForm(Buffer.from(bytes))("username");
      } catch (error) {
        expect(error instanceof AppError && error.row.kind).toBe("caller");
      }
    }),
  );
});

test("a known field that occurs twice is rejected; an unknown one is not", () => {
  const read = readForm(Buffer.from("a=1&b=2&a=3"));
  expect(read("b")).toBe("2");
  expect(reasonOf(() => read("a"))).toContain("a is given more than once");
});

test.each([
  ["escapes that are not UTF-8", "password=%ff", "UTF-8"],
  ["too many fields", "a=1&".repeat(300), "too many"],
])("%s: 400", (_what, body, word) => {
  expect(reasonOf(() => readForm(Buffer.from(body)))).toContain(word);
});

test.each([
  ["application/x-www-form-urlencoded", true],
  ["Application/X-WWW-Form-Urlencoded; charset=utf-8", true],
  ["application/x-www-form-urlencodedx", false],
  ["application/json", false],
  ["", false],
  [undefined, false],
])("%j is a form: %s", (contentType, expected) => {
  expect(isForm(contentType)).toBe(expected);
});
