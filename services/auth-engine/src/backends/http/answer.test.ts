import { encodeCbor } from "@postern/shared/platform/cbor";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { type AnswerSettings, readAnswer } from "./answer.ts";
import { type ReceivedAnswer, RemoteFault } from "./exchange.ts";

const settings: AnswerSettings = {
  format: "json",
  denialStatus: 403,
  headers: { status: "auth-status", session: "x-service-session", wait: "auth-wait" },
};

const object = {
  ok: true,
  account_field: "account",
  totp_secret_field: "",
  backend: 2,
  attributes: { account: ["alice"] },
};

function answered(status: number, body: unknown, headers: ReceivedAnswer["headers"] = {}): ReceivedAnswer {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
    body: Buffer.from(text),
  };
}

const success = (body: unknown = object, headers: ReceivedAnswer["headers"] = {}) =>
  answered(200, body, { "auth-status": "OK", ...headers });

function faultIn(answer: ReceivedAnswer, of = settings): string {
  try {
    return `decided ${readAnswer(answer, of).kind}`;
  } catch (error) {
    return error instanceof RemoteFault ? error.kind : String(error);
  }
}

describe("a success", () => {
  it("names the account by the attribute that the answer names", () => {
    const attributes = { mail: ["a@example.test", "b@example.test"], account: ["alice"], quota: 5 };
    expect(readAnswer(success({ ...object, attributes }), settings)).toEqual({
      kind: "ok",
      account: {
        account: "alice",
        accountField: "account",
        totpSecretField: "",
        attributes: { mail: ["a@example.test", "b@example.test"], account: ["alice"], quota: ["5"] },
      },
    });
  });

  it("names the account by Auth-User if the attribute is missing", () => {
    const answer = success({ ...object, attributes: {} }, { "auth-user": "bob" });
    expect(readAnswer(answer, settings)).toMatchObject({ kind: "ok", account: { account: "bob" } });
  });

  it("may have an attribute named like a member of every object", () => {
    const text = '{"ok":true,"account_field":"__proto__","attributes":{"__proto__":["alice"]}}';
    expect(readAnswer(success(text), settings)).toMatchObject({ account: { account: "alice" } });
  });

  it("is read from CBOR", () => {
    const answer = {
      status: 200,
      headers: { "auth-status": "OK", "content-type": "application/cbor" },
      body: Buffer.from(encodeCbor(object)),
    };
    expect(readAnswer(answer, { ...settings, format: "cbor" })).toMatchObject({ account: { account: "alice" } });
  });
});

describe("a denial", () => {
  it.each([
    ["FAIL", "null"],
    ["Invalid login or password", "null"],
    ["FAIL", ""],
  ])("is a status with the outcome %s and the body %j", (outcome, body) => {
    expect(readAnswer(answered(403, body, { "auth-status": outcome, "auth-wait": "7" }), settings)).toEqual({
      kind: "denied",
      waitSeconds: 7,
    });
  });

  it("has the status of the product", () => {
    const older = { ...settings, denialStatus: 401 };
    expect(faultIn(answered(401, "null", { "auth-status": "FAIL" }), older)).toBe("decided denied");
    expect(faultIn(answered(401, "null"), older)).toBe("caller_refused");
    expect(faultIn(answered(403, "null", { "auth-status": "FAIL" }), older)).toBe("caller_refused");
  });
});

test.each([
  ["429", answered(429, "{}", { "auth-status": "FAIL" }), "rate_limited"],
  ["500", answered(500, { error: "x" }, { "auth-status": "Temporary failure" }), "failed"],
  ["503", answered(503, ""), "busy"],
  ["400", answered(400, { error: "x" }), "request_refused"],
  ["404", answered(404, ""), "request_refused"],
  ["401", answered(401, { error: "x" }), "caller_refused"],
  ["a caller without the scope", answered(403, { error: "insufficient scope" }), "caller_refused"],
  ["a redirect", answered(302, "", { "auth-status": "OK" }), "malformed"],
  ["no outcome", answered(200, object), "malformed"],
  ["a denial with the status of a success", answered(200, "null", { "auth-status": "FAIL" }), "malformed"],
  ["a success with the status of a denial", answered(403, object, { "auth-status": "OK" }), "malformed"],
  ["a denial with an object", answered(403, object, { "auth-status": "FAIL" }), "malformed"],
  ["a page", success("<html>", { "content-type": "text/html" }), "malformed"],
  ["a page that says it is JSON", success("<html>"), "malformed"],
  ["half an object", success(JSON.stringify(object).slice(0, 30)), "malformed"],
  [
    "two values of one name",
    success('{"ok":false,"ok":true,"account_field":"a","attributes":{"a":["x"]}}'),
    "malformed",
  ],
  ["null", success("null"), "malformed"],
  ["ok is not true", success({ ...object, ok: "true" }), "malformed"],
  ["no account", success({ ...object, attributes: {} }), "malformed"],
  ["an empty account", success({ ...object, attributes: { account: [""] } }), "malformed"],
  ["an account with a line end", success({ ...object, attributes: { account: ["a\nb"] } }), "malformed"],
  ["attributes in a list", success({ ...object, attributes: ["account"] }), "malformed"],
  ["a nested attribute", success({ ...object, attributes: { account: [["alice"]] } }), "malformed"],
  ["too many values", success({ ...object, attributes: { account: Array(5000).fill("alice") } }), "malformed"],
  ["a compressed body", success(object, { "content-encoding": "gzip" }), "malformed"],
])("%s is no decision", (_what, answer, fault) => {
  expect(faultIn(answer)).toBe(fault);
});

test("no answer is a decision unless its parts agree, and nothing but a fault is thrown", () => {
  const status = fc.oneof(fc.constantFrom(200, 401, 403, 429, 500), fc.integer({ min: 100, max: 999 }));
  const outcome = fc.option(fc.oneof(fc.constantFrom("OK", "FAIL", "", "ok "), fc.string()), { nil: undefined });
  const member = fc.oneof(fc.jsonValue(), fc.constantFrom<unknown>(true, "account", { account: ["alice"] }));
  const record = fc.record({ ok: member, account_field: member, attributes: member }, { requiredKeys: [] });
  const body = fc.oneof(
    record.map((value) => Buffer.from(JSON.stringify(value))),
    record.map((value) => Buffer.from(JSON.stringify(value).slice(0, -1))),
    fc.constantFrom(
      Buffer.from("null"),
      Buffer.alloc(0),
      Buffer.from(JSON.stringify(object)),
      Buffer.from(encodeCbor(object)),
    ),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  );
  const type = fc.constantFrom("application/json", "application/cbor", "text/html", undefined);
  const format = fc.constantFrom("json" as const, "cbor" as const);
  fc.assert(
    fc.property(status, outcome, body, type, format, (code, text, bytes, contentType, as) => {
      const answer = { status: code, headers: { "auth-status": text, "content-type": contentType }, body: bytes };
      let decision: ReturnType<typeof readAnswer>;
      try {
        decision = readAnswer(answer, { ...settings, format: as });
      } catch (error) {
        expect(error).toBeInstanceOf(RemoteFault);
        return;
      }
      const isOk = text?.trim().toUpperCase() === "OK";
      expect([code, isOk]).toEqual(decision.kind === "ok" ? [200, true] : [403, false]);
      if (decision.kind === "ok") expect(decision.account.account).not.toBe("");
      else expect(text?.trim()).toBeTruthy();
    }),
    { numRuns: 500 },
  );
});
