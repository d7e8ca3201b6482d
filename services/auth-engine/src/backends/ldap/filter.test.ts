import * as fc from "fast-check";
import { AndFilter, EqualityFilter, type Filter, FilterParser, NotFilter, OrFilter } from "ldapts";
import { describe, expect, it } from "vitest";
import type { BackendQuery } from "../backend.ts";
import { compileFilter } from "./filter.ts";

const query = (username: string): BackendQuery => ({
  username,
  protocol: "imap",
  clientIp: "192.0.2.7",
  clientPort: "4711",
  localIp: "2001:db8::1",
  localPort: "993",
});

/** The structure of a filter without its values: kinds and attributes in order. */
function shape(filter: Filter): unknown {
  if (filter instanceof AndFilter || filter instanceof OrFilter) return [filter.type, filter.filters.map(shape)];
  if (filter instanceof NotFilter) return [filter.type, shape(filter.filter)];
  return [filter.type, "attribute" in filter ? filter.attribute : ""];
}

describe("a filter template", () => {
  it.each([
    ["(uid=%s)", "(uid=Alice@Example.Test)"],
    ["uid=%s", "(uid=Alice@Example.Test)"],
    ["(uid=%{user})", "(uid=Alice@Example.Test)"],
    ["(&(uid=%L{username})(o=%U{domain}))", "(&(uid=alice)(o=EXAMPLE.TEST))"],
    ["(&\n  (a=%{service})\n  (!(b=%{remote_ip}:%{remote_port}))\n)", "(&(a=imap)(!(b=192.0.2.7:4711)))"],
    ["(|(l=%{local_ip})(p>=%{local_port})(q<=1)(r~=x))", "(|(l=2001:db8::1)(p>=993)(q<=1)(r~=x))"],
    ["(mail=%{username}*x*@%{domain})", "(mail=Alice*x*@Example.Test)"],
    ["(objectClass=*)", "(objectClass=*)"],
    ["(memberOf:1.2.840.113556.1.4.1941:=cn=%{username},dc=x)", "(memberOf:1.2.840.113556.1.4.1941:=cn=Alice,dc=x)"],
    ["(ou:dn:=people)", "(ou:dn:=people)"],
    ["(2.5.4.3;lang-de=%R{username})", "(2.5.4.3;lang-de=Alice)"],
    [String.raw`(cn=J\c3\b6rg \28x\29 100%%)`, String.raw`(cn=Jörg \28x\29 100%)`],
  ])("%s becomes %s", (template, expected) => {
    expect(compileFilter(template)(query("Alice@Example.Test")).toString()).toBe(expected);
  });

  it.each([
    "",
    "()",
    "(uid)",
    "(uid=%s",
    "(uid=%s))",
    "(&)",
    "(uid=%s)(mail=%s)",
    "(%{user}=x)",
    "(uid=%{unknown})",
    "(uid=%{constructor})",
    "(uid=%q)",
    "(uid=100%)",
    String.raw`(uid=\zz)`,
    String.raw`(uid=\c3)`,
    "(uid=a**b)",
    "(uid>=a*)",
    `${"(!".repeat(40)}(a=b)${")".repeat(40)}`,
    `(uid=${"x".repeat(9000)})`,
  ])("%j is rejected at startup", (template) => {
    expect(() => compileFilter(template)).toThrow(/CONFIG_INVALID/);
  });

  it("drops line breaks and keeps NUL as a value", () => {
    expect(compileFilter("(uid=%s)")(query("a\r\n\0b")).toString()).toBe(String.raw`(uid=a\00b)`);
  });

  it("matches no entry, rather than every entry, when a macro leaves a part of a pattern empty", () => {
    const [whole] = [compileFilter("(mail=*%{domain})")(query("alice"))];
    expect(whole).toBeInstanceOf(EqualityFilter);
    expect(whole.toString()).toBe("(mail=)");
  });

  it("keeps its structure for any username, as a tree and as text", () => {
    const template =
      "(&(objectClass=person)(|(uid=%s)(mail=%L{user})(cn:caseExactMatch:=%U{username})(sn=*-%s-*))(!(o=%{domain})))";
    const compiled = compileFilter(template);
    const expected = shape(compiled(query("alice@example.test")));
    const nasty = fc.string({ unit: fc.constantFrom(...Array.from("*()\\&|!=~<>:%{}s,@\0\r\n aé\ufffd")) });
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), nasty), (name) => {
        const filter = compiled(query(`x${name}`));
        expect(shape(filter)).toEqual(expected);
        expect(shape(FilterParser.parseString(filter.toString()))).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });
});
