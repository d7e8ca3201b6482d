import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ConditionProblem, compileCondition } from "./condition.ts";
import type { FactValue } from "./facts.ts";
import { readSets } from "./sets.ts";

const sets = readSets(
  { networks: { inside: ["192.0.2.0/24", "2001:db8::/32"] }, strings: { mail: ["imap", "pop3"], shouted: ["IMAP"] } },
  "sets",
  (path) => {
    throw new Error(path);
  },
);

const facts: Readonly<Record<string, FactValue>> = {
  "request.protocol": "imap",
  "request.client.ip": "192.0.2.7",
  "request.connection.tls": true,
  "request.login_attempt": 3,
  "auth.subject.attribute.group": ["staff", "admins"],
};

function compiled(input: unknown) {
  const problems: ConditionProblem[] = [];
  const condition = compileCondition(input, "if", { sets, problem: (found) => problems.push(found) });
  return { problems, holds: condition((name) => facts[name]) };
}

describe("a condition", () => {
  test.each([
    [{ always: true }, true],
    [{ attribute: "request.protocol", eq: "imap" }, true],
    [{ attribute: "request.protocol", ne: "imap" }, false],
    [{ attribute: "request.protocol", in: ["smtp", "imap"] }, true],
    [{ attribute: "request.protocol", in: "mail" }, true],
    [{ attribute: "request.protocol", not_in: ["smtp"] }, true],
    [{ attribute: "request.protocol", matches: "^im(ap)?$" }, true],
    [{ attribute: "request.protocol", eq: "IMAP" }, true],
    [{ attribute: "request.protocol", ne: " Imap" }, false],
    [{ attribute: "request.protocol", in: ["SMTP", "IMAP"] }, true],
    [{ attribute: "request.protocol", in: "shouted" }, true],
    [{ attribute: "request.protocol", not_in: "shouted" }, false],
    [{ attribute: "request.protocol", matches: "^IM(AP)?$" }, true],
    [{ attribute: "request.connection.tls", is: true }, true],
    [{ attribute: "request.login_attempt", gte: 3 }, true],
    [{ attribute: "request.login_attempt", gt: 3 }, false],
    [{ attribute: "request.login_attempt", lt: 4 }, true],
    [{ attribute: "request.login_attempt", lte: 2 }, false],
    [{ attribute: "request.client.ip", cidr_contains: "inside" }, true],
    [{ attribute: "request.client.ip", cidr_contains: ["198.51.100.0/24"] }, false],
    [{ attribute: "request.client.ip", cidr_contains: "192.0.2.7" }, true],
    [{ attribute: "auth.subject.attribute.group", contains: "staff" }, true],
    [{ attribute: "auth.subject.attribute.group", contains_any: ["a", "admins"] }, true],
    [{ attribute: "auth.subject.attribute.group", contains_all: ["staff", "x"] }, false],
    [{ attribute: "auth.subject.attribute.group", contains_none: ["x"] }, true],
    [{ attribute: "request.user_agent", exists: false }, true],
    [{ attribute: "request.protocol", exists: true }, true],
    [{ all: [{ always: true }, { attribute: "request.protocol", eq: "smtp" }] }, false],
    [{ any: [{ always: true }, { attribute: "request.protocol", eq: "smtp" }] }, true],
    [{ not: { attribute: "request.protocol", eq: "smtp" } }, true],
  ])("%j is %s", (input, expected) => {
    expect(compiled(input)).toEqual({ problems: [], holds: expected });
  });

  test.each(["eq", "ne"])("a comparison by %s with an absent fact is false", (operator) => {
    expect(compiled({ attribute: "request.user_agent", [operator]: "x" }).holds).toBe(false);
  });
});

describe("an invalid condition is reported with its place", () => {
  test.each([
    [{}, "if"],
    ["imap", "if"],
    [{ all: [] }, "if.all"],
    [{ all: [{ always: true }, { not: 1 }] }, "if.all[1].not"],
    [{ always: false }, "if.always"],
    [{ all: [{ always: true }], any: [{ always: true }] }, "if"],
    [{ attribute: "request.protocl", eq: "imap" }, "if.attribute"],
    [{ attribute: "auth.subject.attribute.", exists: true }, "if.attribute"],
    [{ attribute: "toString", eq: "imap" }, "if.attribute"],
    [{ attribute: "request.protocol" }, "if"],
    [{ attribute: "request.protocol", eq: "a", ne: "b" }, "if"],
    [{ attribute: "request.protocol", equals: "a" }, "if.equals"],
    [{ attribute: "request.protocol", toString: "a" }, "if.toString"],
    [{ attribute: "request.protocol", gt: 1 }, "if.gt"],
    [{ attribute: "request.protocol", matches: "(" }, "if.matches"],
    [{ attribute: "request.protocol", matches: "(a)\\1" }, "if.matches"],
    [{ attribute: "request.protocol", in: "no-such-set" }, "if.in"],
    [{ attribute: "request.client.ip", cidr_contains: ["192.0.2.0/33"] }, "if.cidr_contains"],
    [{ attribute: "request.login_attempt", gt: "3" }, "if.gt"],
    [{ attribute: "request.connection.tls", is: "yes" }, "if.is"],
    [{ attribute: "request.protocol", exists: 1 }, "if.exists"],
  ])("%j at %s", (input, path) => {
    expect(compiled(input).problems.map((problem) => problem.path)).toEqual([path]);
  });

  test("nesting is limited", () => {
    let nested: unknown = { always: true };
    for (let depth = 0; depth < 40; depth += 1) nested = { not: nested };
    expect(compiled(nested).problems).toHaveLength(1);
  });
});

test("the time of a pattern grows linearly with the text", () => {
  const condition = compileCondition({ attribute: "request.user_agent", matches: "^(a+)+$" }, "if", {
    sets,
    problem: (found) => {
      throw new Error(found.text);
    },
  });
  // A backtracking engine would not finish within the time of a test.
  expect(condition(() => `${"a".repeat(4000)}!`)).toBe(false);
});

test("no condition in a file makes the compiler throw", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (input) => {
      const { problems, holds } = compiled(input);
      expect(problems.length > 0 || typeof holds === "boolean").toBe(true);
    }),
  );
});

const leaf = fc.record({
  attribute: fc.constantFrom("request.protocol", "request.user_agent"),
  eq: fc.constantFrom("imap", "smtp"),
});
const tree = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.record({ not: tie("node") }),
    fc.record({ all: fc.array(tie("node"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ any: fc.array(tie("node"), { minLength: 1, maxLength: 3 }) }),
  ),
})).node;

test("not inverts every condition", () => {
  fc.assert(
    fc.property(tree, (input) => {
      expect(compiled({ not: input }).holds).toBe(!compiled(input).holds);
    }),
  );
});
