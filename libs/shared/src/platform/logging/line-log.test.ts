import fc from "fast-check";
import { expect, test } from "vitest";
import type { LineValue } from "./line-log.ts";
import { createLogger } from "./logger.ts";

const fields = ["one", "two"] as const;

function start(level: "info" | "warn" = "info") {
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  const { logger, lineWriter } = createLogger({ service: "gateway", instance: 'a"1', level, stream });
  const write = lineWriter({ fields, msg: "decided" });
  const byLogger = (values: readonly LineValue[]): void => logger.info({ one: values[0], two: values[1] }, "decided");
  const parsed = (): unknown[] => lines.map((line) => ({ ...JSON.parse(line), time: "then" }));
  return { write, byLogger, lines, parsed };
}

test("the line equals that of the logger, whatever the values", () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: "binary" }),
    fc.constantFrom('"', "\\", "\u2028", "\n}{", "\ud800"),
  );
  const value = fc.oneof(text, fc.double(), fc.boolean(), fc.constant(undefined));
  fc.assert(
    fc.property(value, value, (one, two) => {
      const { write, byLogger, lines, parsed } = start();
      write([one, two]);
      byLogger([one, two]);
      const [mine, its] = parsed();
      expect(mine).toEqual(its);
      expect(lines[0]?.endsWith("}\n")).toBe(true);
      expect(lines[0]?.indexOf("\n")).toBe((lines[0]?.length ?? 0) - 1);
    }),
  );
});

test("nothing is written below the level", () => {
  const { write, lines } = start("warn");
  write(["x", 1]);
  expect(lines).toEqual([]);
});
