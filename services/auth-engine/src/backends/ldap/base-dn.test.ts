import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileBaseDn, escapeDnValue } from "./base-dn.ts";

const expand = (template: string, username: string): string =>
  compileBaseDn(template).expand({ username, protocol: "imap" });

describe("a search base", () => {
  it("is taken as it stands without macros", () => {
    expect(compileBaseDn("ou=a\\, b,dc=x").hasMacros).toBe(false);
    expect(expand("ou=a\\, b,dc=x", "alice")).toBe("ou=a\\, b,dc=x");
  });

  it("takes values as RFC 4514 values", () => {
    expect(expand("ou=%{domain},dc=x", "alice@people,dc=y")).toBe(String.raw`ou=people\,dc\=y,dc=x`);
    expect(expand("ou=%{domain},dc=x", "alice@ #\0 ")).toBe(String.raw`ou=\ #\00\ ,dc=x`);
  });

  it("has no unescaped separator after any value", () => {
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

  it("is refused with an unknown macro", () => {
    expect(() => compileBaseDn("ou=%{nonsense},dc=x")).toThrow(/CONFIG_INVALID/);
  });
});
