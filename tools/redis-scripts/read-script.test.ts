import { expect, test } from "vitest";
import { readScript } from "./read-script.ts";

const path = "services/gateway/src/limits/scripts/count-something.lua";

const header = [
  "-- Counts something.",
  "--",
  "-- KEYS[1] count_key: the count",
  "-- ARGV[1] max_count",
  "-- ARGV[2] window_seconds: length of the window",
  "-- Reply: the count.",
];
const body = [
  "",
  "local count_key = KEYS[1]",
  "local max_count = tonumber(ARGV[1])",
  "local window_seconds = ARGV[2]",
  'return redis.call("INCR", count_key)',
  "",
];
const text = (...lines: readonly string[]): string => lines.join("\n");

/** The script with one line replaced by others. */
function changed(line: string, ...replacement: readonly string[]): string {
  const lines = [...header, ...body];
  lines.splice(lines.indexOf(line), 1, ...replacement);
  return text(...lines);
}

test("names of keys and arguments come from the header, in camel case", () => {
  expect(readScript(path, text(...header, ...body))).toMatchObject({
    name: "countSomething",
    keys: ["countKey"],
    args: ["maxCount", "windowSeconds"],
  });
});

test("a script whose keys vary in number has no names of keys and arguments", () => {
  const lua = changed("-- KEYS[1] count_key: the count", "-- KEYS, for each account: its count").replace(
    "local count_key = KEYS[1]",
    "local count_key = KEYS[#KEYS]",
  );
  expect(readScript(path, lua)).toMatchObject({ keys: undefined, args: undefined });
});

test.each([
  ["without a header", text(...body), "expected a comment at the top"],
  ["without a reply in the header", changed("-- Reply: the count."), 'expected a line "-- Reply: …"'],
  [
    "whose header skips a number",
    changed("-- ARGV[2] window_seconds: length of the window", "-- ARGV[3] window"),
    "ARGV[2]",
  ],
  [
    "that does not unpack an argument",
    changed("local window_seconds = ARGV[2]"),
    'expected a line "local window_seconds',
  ],
  [
    "that gives a key another name",
    changed("local count_key = KEYS[1]", "local key = KEYS[1]"),
    'expected a line "local count_key',
  ],
  [
    "that uses an argument by its number",
    changed("", "local more = ARGV[3]"),
    "ARGV is used 3 times; the header names 2",
  ],
  ["that uses a list as a whole", changed("", "local all = KEYS"), "KEYS is used 2 times; the header names 1"],
  ["without keys", changed("-- KEYS[1] count_key: the count"), "expected KEYS in the header"],
  ["with a character outside ASCII", changed("-- Reply: the count.", "-- Reply: 1 µs."), "expected ASCII only"],
])("a script %s is rejected", (_, lua, message) => {
  expect(() => readScript(path, lua)).toThrow(message);
});
