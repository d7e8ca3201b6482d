import { describe, expect, it } from "vitest";
import { parseServerUri } from "./server-uri.ts";

describe("a server URI", () => {
  it.each([
    ["ldap://ldap.example.test", { kind: "tcp", host: "ldap.example.test", port: 389 }],
    ["LDAPS://ldap.example.test/", { kind: "tls", host: "ldap.example.test", port: 636 }],
    ["ldap://[2001:db8::1]:3389", { kind: "tcp", host: "2001:db8::1", port: 3389 }],
    ["ldapi://%2Frun%2Fslapd%2Fldapi", { kind: "unix", path: "/run/slapd/ldapi" }],
  ])("%s is accepted", (uri, expected) => {
    expect(parseServerUri(uri)).toEqual({ uri, ...expected });
  });

  it.each([
    "",
    "ldap.example.test",
    "http://x",
    "ldap://",
    "ldap://x:0",
    "ldap://x:65536",
    "ldap://x/dc=example",
    "ldap://user@x",
    "ldapi://relative",
    "ldapi://%zz",
  ])("%j is rejected", (uri) => {
    expect(() => parseServerUri(uri)).toThrow(/CONFIG_INVALID/);
  });
});
