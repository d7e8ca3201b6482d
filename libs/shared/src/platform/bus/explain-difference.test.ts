import fc from "fast-check";
import { type TSchema, Type } from "typebox";
import { expect, test } from "vitest";
import { CacheFlushRequest, operations } from "../../contracts/index.ts";
import { compileCheck } from "./schema-check.ts";

const schema = Type.Object(
  {
    user: Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: "^[^*?]+$",
      description: "an account, or a name that it signs in with",
    }),
    code: Type.Optional(Type.String({ pattern: "^[A-Z]{4}$", description: "as the user was given it" })),
    limit: Type.Optional(Type.String({ pattern: "^[0-9]+$", description: "bans of a page, 1 to 1000" })),
    kind: Type.Optional(Type.Union([Type.Literal("a"), Type.Literal("b")])),
    limits: Type.Optional(Type.Array(Type.Integer({ minimum: 1, maximum: 9 }), { maxItems: 3 })),
    on: Type.Optional(Type.Boolean()),
    own: Type.Optional(Type.Record(Type.String(), Type.Integer())),
    deep: Type.Optional(Type.Object({ name: Type.String({ maxLength: 4 }) })),
  },
  { additionalProperties: false },
);
const check = compileCheck(schema);

test.each([
  [undefined, "the body: must be a JSON object"],
  ["text", "the body: must be a JSON object"],
  [{}, "user: is missing"],
  [{ user: 7 }, "user: must be a string of 1 to 255 characters, without * and ?"],
  [{ user: "" }, "user: must be a string of 1 to 255 characters, without * and ?"],
  [{ user: "a*" }, "user: must be a string of 1 to 255 characters, without * and ?"],
  [{ user: "a", code: "x" }, "code: must be a string, matching ^[A-Z]{4}$"],
  [{ user: "a", limit: "many" }, "limit: must be a whole number"],
  [{ user: "a", kind: "c" }, 'kind: must be "a" or "b"'],
  [{ user: "a", limits: [1, 10] }, "limits.2: must be a whole number, 1 to 9"],
  [{ user: "a", limits: [1, 1, 1, 1] }, "limits: must be a list of at most 3 entries"],
  [{ user: "a", on: "on" }, "on: must be true or false"],
  [{ user: "a", own: { s3cret: "x" } }, "own: does not match the API schema"],
  [{ user: "a", deep: {} }, "deep.name: is missing"],
  [{ user: "a", deep: { name: "12345" } }, "deep.name: must be a string of at most 4 characters"],
  [{ user: "a", s3cret: 1 }, "the body: has an unknown field"],
] as const)("%j", (value, words) => {
  expect(check.explain(value)).toBe(words);
});

test("a flush without a name, or with a wildcard", () => {
  const flush = compileCheck(CacheFlushRequest);
  expect(flush.explain({})).toBe("user: is missing");
  expect(flush.explain({ user: "*" })).toBe("user: must be a string of 1 to 1024 characters, without * and ?");
});

const bodies = operations.flatMap(({ request }) => Object.values(request?.body ?? {}));

test("no explanation repeats a value, or a name that the sender chose", () => {
  expect(bodies.length).toBeGreaterThan(10);
  const canary = "s3cret-canary";
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<unknown>(canary, 7, null, true, ""),
      fc.array(tie("any"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(canary, "user", "username", "response", "id", "name"), tie("any")),
    ),
  })).any;
  const checks = bodies.map((body: TSchema) => compileCheck(body));
  fc.assert(
    fc.property(value, fc.nat(checks.length - 1), (sent, at) => {
      const check = checks[at];
      if (check === undefined || check.accepts(sent)) return;
      const words = check.explain(sent);
      expect(words).not.toContain(canary);
      expect(words).toMatch(/^[\w. ]+: /);
    }),
  );
});
