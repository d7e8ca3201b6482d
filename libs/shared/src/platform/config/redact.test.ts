import { expect, test } from "vitest";
import { redacted, redactNode, redactText } from "./redact.ts";

test.each(["password", "bind_pw", "client_secret", "dsn", "oidc_signing_key", "Static-Token"])(
  "below unknown keys the name %s hides its value",
  (name) => {
    expect(redactNode(undefined, { list: [{ [name]: { inner: "x" } }] })).toEqual({ list: [{ [name]: redacted }] });
  },
);

test.each([
  ["redis://user:pass@host/0", `redis://${redacted}@host/0`],
  ["redis://:p@ss/w@host/0", `redis://${redacted}@host/0`],
  ["postgres://host/db?user=a&password=b", `postgres://host/db?user=a&password=${redacted}`],
  ["http://host:80/path", "http://host:80/path"],
])("credentials inside %s are hidden", (text, shown) => {
  expect(redactText(text)).toBe(shown);
});
