import { expect, test } from "vitest";
import { parseHostPort } from "./host-port.ts";

test.each([
  ["127.0.0.1:8080", { host: "127.0.0.1", port: 8080 }],
  ["[::1]:8080", { host: "::1", port: 8080 }],
  [":9101", { host: "::", port: 9101 }],
  ["localhost:0", { host: "localhost", port: 0 }],
])("%s", (text, expected) => {
  expect(parseHostPort(text)).toEqual(expected);
});

test.each(["8080", "::1:8080", "127.0.0.1", "127.0.0.1:99999", "a:b:1", ""])("%j is invalid", (text) => {
  expect(parseHostPort(text)).toBeUndefined();
});
