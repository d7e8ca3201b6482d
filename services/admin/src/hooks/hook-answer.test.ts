import { AppError } from "@postern/shared/platform/errors";
import { expect, test } from "vitest";
import { hookAnswer } from "./routes.ts";

const answer = (value: Parameters<typeof hookAnswer>[0]) => {
  const { status, headers, body } = hookAnswer(value, "script.lua", "application/json");
  return { status, headers, body: body.toString() };
};
const json = { "content-type": "application/json" };

test.each([
  ["nothing", undefined, { status: 204, headers: {}, body: "" }],
  ["a text", "hello", { status: 200, headers: json, body: "hello" }],
  ["bytes", new Uint8Array([104, 105]), { status: 200, headers: json, body: "hi" }],
  ["a number", 7, { status: 200, headers: json, body: "7" }],
  ["a table", { a: [1, true] }, { status: 200, headers: json, body: '{"a":[1,true]}' }],
])("%s that a hook returns becomes a response", (_what, value, expected) => {
  expect(answer(value)).toEqual(expected);
});

test("a response may set status, type, headers and body", () => {
  const response = { status: 302, content_type: "text/plain", headers: { location: "/x" }, body: "moved" };
  expect(answer({ $response: response })).toEqual({
    status: 302,
    headers: { "content-type": "text/plain", location: "/x" },
    body: "moved",
  });
  expect(answer({ $response: {} })).toEqual({ status: 200, headers: json, body: "" });
});

test("a script cannot set the headers that frame the message", () => {
  const headers = {
    "Content-Length": "5",
    "transfer-encoding": "chunked",
    Connection: "close",
    DATE: "x",
    "x-own": "1",
  };
  expect(answer({ $response: { headers } }).headers).toEqual({ ...json, "x-own": "1" });
});

test.each([
  ["an informational status", { status: 101 }],
  ["an invalid status", { status: 600 }],
  ["a fractional status", { status: 200.5 }],
  ["a header value that contains a second header", { headers: { "x-a": "1\r\nset-cookie: stolen=1" } }],
  ["a header name with a colon", { headers: { "x:a": "1" } }],
  ["a type with a line break", { content_type: "text/html\n" }],
  ["an unknown member", { code: 200 }],
])("a response with %s is reported as an error of the script", (_what, response) => {
  expect(() => answer({ $response: response })).toThrow(AppError);
  try {
    answer({ $response: response });
  } catch (error) {
    expect(error).toMatchObject({ code: "SCRIPT_FAILED" });
  }
});
