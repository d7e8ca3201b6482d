import fc from "fast-check";
import { expect, test } from "vitest";
import { permitsAddress } from "./address-rules.ts";

const unstated = { applicationType: undefined, isPublic: true } as const;
const confidential = { applicationType: undefined, isPublic: false } as const;
const web = { applicationType: "web", isPublic: true } as const;
const native = { applicationType: "native", isPublic: false } as const;

const mailProgram = [
  "http://localhost",
  "https://localhost",
  "net.example.mail:/oauth",
  "https://mail.example.test/cb",
];

test.each([
  ["http://localhost", true],
  ["http://localhost:51234", true],
  ["http://localhost:51234/", false],
  ["http://127.0.0.1:51234", false],
  ["https://localhost", true],
  ["https://localhost:51234", false],
  ["net.example.mail:/oauth", true],
  ["net.example.mail:/oauth/", false],
  ["https://mail.example.test/cb", true],
  ["https://mail.example.test:8443/cb", false],
])("a public client with addresses of several kinds, %s: %s", (uri, isPermitted) => {
  expect(permitsAddress(unstated, mailProgram, uri)).toBe(isPermitted);
  // Each address has its own rule: the same answer without the others.
  expect(mailProgram.some((one) => permitsAddress(unstated, [one], uri))).toBe(isPermitted);
});

test.each([
  [confidential, false],
  [web, false],
  [unstated, true],
  [native, true],
])("another port of a loopback address, %j: %s", (rules, isPermitted) => {
  for (const host of ["127.0.0.1", "[::1]", "localhost"]) {
    const registered = [`http://${host}:8090/callback`];
    expect(permitsAddress(rules, registered, `http://${host}:8090/callback`)).toBe(true);
    expect(permitsAddress(rules, registered, `http://${host}:9999/callback`)).toBe(isPermitted);
    expect(permitsAddress(rules, registered, `http://${host}/callback`)).toBe(isPermitted);
  }
});

test.each([
  "http://127.0.0.1:50000/callback?x=1",
  "http://127.0.0.1:50000/callback#x",
  "http://127.0.0.1:50000@evil.test/callback",
  "http://user@127.0.0.1:50000/callback",
  "http://127.0.0.1:99999/callback",
  "http://127.0.0.1:/callback",
  "http://127.0.0.1:50000\\@evil.test/callback",
  "http://127.0.0.1.evil.test:50000/callback",
  "https://127.0.0.1:50000/callback",
])("%s is not http://127.0.0.1/callback with another port", (uri) => {
  expect(permitsAddress(native, ["http://127.0.0.1/callback"], uri)).toBe(false);
});

test("what is permitted leads to the registered host and path, and differs at most in the port of a loopback address", () => {
  const piece = fc.constantFrom(
    "http://",
    "https://",
    "localhost",
    "127.0.0.1",
    "[::1]",
    "evil.test",
    "@",
    ":",
    "80",
    "/",
    "?",
    "#",
    "\\",
    "cb",
  );
  const uri = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(uri, uri, (registered, requested) => {
      if (registered === requested || !permitsAddress(native, [registered], requested)) return;
      const [one, other] = [new URL(registered), new URL(requested)];
      one.port = other.port;
      expect(other.href).toBe(one.href);
      expect(other.username + other.password).toBe("");
      expect(["localhost", "127.0.0.1", "[::1]"]).toContain(other.hostname);
    }),
    { numRuns: 5000 },
  );
});
