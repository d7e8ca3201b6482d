import { X509Certificate } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { certificateInHeader } from "./certificates.ts";

/** A self-signed certificate of client.example.test. */
const base64 = [
  "MIIBlDCCATmgAwIBAgIUCXJG7b8wNAq+5cWjDIfONA43VxswCgYIKoZIzj0EAwIwHjEcMBoGA1UEAwwTY2xpZW50LmV4YW1wbGUu",
  "dGVzdDAgFw0yNjExMjMwNzU5MDBaGA8yMTI2MTAzMDA3NTkwMFowHjEcMBoGA1UEAwwTY2xpZW50LmV4YW1wbGUudGVzdDBZMBMG",
  "ByqGSM49AgEGCCqGSM49AwEHA0IABAUTYWsnd42bhO0rx8hnF6oAsNkHwwKtJBrGxS2BvEgnopkXmt5vZz1gus5l6JDGy0Uh9vL5",
  "0CspFOFpqjHbhxijUzBRMB0GA1UdDgQWBBRuBdPWN3Qdz/0yDOJRSdt00C+JBTAfBgNVHSMEGDAWgBRuBdPWN3Qdz/0yDOJRSdt0",
  "0C+JBTAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQDizwHGnxFpIh8B9F49wlUSZEqNDAK6M9fk0rjBYaGkcQIh",
  "AJ2Nk31wW3my/M7we3Q2Di/g8h4Zq+4oHCidda0+BlM8",
].join("");
const der = Buffer.from(base64, "base64");
const pem = new X509Certificate(der).toString();

test.each([
  ["RFC 9440", `:${base64}:`],
  ["nginx's escaped PEM", encodeURIComponent(pem)],
  ["PEM with only its line breaks escaped", pem.replaceAll("\n", "%0A")],
])("a certificate is read from %s", (_what, value) => {
  expect(certificateInHeader(value)?.equals(der)).toBe(true);
});

test("any other value is no certificate, and none is an error", () => {
  const near = fc.nat(base64.length - 1).map((at) => `:${base64.slice(0, at)}:`);
  const escaped = fc.string().map((text) => encodeURIComponent(`-----BEGIN CERTIFICATE-----\n${text.toWellFormed()}`));
  fc.assert(
    fc.property(fc.oneof(fc.string(), near, escaped), (value) => {
      expect(certificateInHeader(value)).toBeUndefined();
    }),
  );
  expect(certificateInHeader(`:${Buffer.alloc(8193).toString("base64")}:`)).toBeUndefined();
  expect(certificateInHeader(base64)).toBeUndefined();
});
