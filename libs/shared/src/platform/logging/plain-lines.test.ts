import fc from "fast-check";
import { expect, test } from "vitest";
import { createLogger } from "./logger.ts";
import { plainLine } from "./plain-lines.ts";

test.each([
  ['{"host":"müller@例え.test"}', '{"host":"müller@例え.test"}'],
  ['{"host":"\u009b31m\u007f"}', '{"host":"\\u009b31m\\u007f"}'],
  ['{"host":"\u202e\u2028\u{e0041}"}', '{"host":"\\u202e\\u2028\\udb40\\udc41"}'],
])("%j is written as %j", (line, written) => {
  expect(plainLine(line)).toBe(written);
});

test("a line of the log contains no control or format character, and means the same, whatever its values", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (value, msg) => {
      const lines: string[] = [];
      const stream = { write: (line: string) => void lines.push(line) };
      const { logger, lineWriter } = createLogger({ service: "idp", instance: "a:1", level: "info", stream });
      logger.info({ host: value }, msg);
      lineWriter({ fields: ["host"], msg })([value]);
      for (const line of lines) {
        expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        expect(JSON.parse(line)).toMatchObject({ host: value, msg });
      }
    }),
  );
});
