import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileBaseDn, escapeDnValue } from "./macros.ts";

const expand = (template: string, username: string): string =>
  compileBaseDn(template).expand({ username, protocol: "imap" });

describe("a search base", () => {
  it("is used unchanged if it has no macros", () => {
    expect(compileBaseDn("ou=a\\, b,dc=x").hasMacros).toBe(false);
    expect(expand("ou=a\\, b,dc=x", "alice")).toBe("ou=a\\, b,dc=x");
  });

  it("escapes values according to RFC 4514", () => {
    expect(expand("ou=%{domain},dc=x", "alice@people,dc=y")).toBe(String.raw`ou=people\,dc\=y,dc=x`);
    expect(expand("ou=%{domain},dc=x", "alice@ #\0 ")).toBe(String.raw`ou=\ #\00\ ,dc=x`);
  });

  it("contains no unescaped separator, whatever the value", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(",", "+", '"', "\\", "<", ">", ";", "=", " ", "#", "a", "\0") }),
        (value) => {
          const bare = escapeDnValue(value).replaceAll(/\\./g, "");
          expect(bare).not.toMatch(/[,+"\\<>;=\0]/);
        },
      ),
    );
  });

  it.each([
    ["ou=people,dc=x", "ou=people,dc=x"],
    ["ou=%{domain},dc=x,dc=y", "dc=x,dc=y"],
    ["uid=%{user},ou=a\\, b,dc=x", "ou=a\\, b,dc=x"],
    ["o=%{domain}\\, Inc,dc=x", "dc=x"],
    ["ou=people,o=%{domain}", ""],
    ["%{domain}", ""],
  ])("%s lies below %j for every name", (template, fixedPart) => {
    expect(compileBaseDn(template).fixedPart).toBe(fixedPart);
  });

  it("is rejected if it has an unknown macro", () => {
    expect(() => compileBaseDn("ou=%{nonsense},dc=x")).toThrow(/CONFIG_INVALID/);
  });
});
