import type { AuthDecision } from "@postern/shared/contracts";
import { createAttributeFilter } from "@postern/shared/domain/released-attributes";
import { AppError } from "@postern/shared/platform/errors";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { wireNames } from "../http/naming.ts";
import { textFields, tlsFields } from "./auth-fields.ts";
import type { RequestFacts } from "./complete-request.ts";
import { jsonEndpoint, parseJsonRequest } from "./json.ts";

const facts: RequestFacts = {
  session: "7d3f",
  dialect: "json",
  clientIp: "198.51.100.7",
  clientPort: "40000",
  clientIpIsPeer: false,
  userAgent: "doveadm/1",
  acceptLanguage: undefined,
};

const minimal = { username: "alice@example.test", password: "pw", protocol: "imap" };

function parse(body: unknown, { url = "/api/v1/auth/json", contentType = "application/json" } = {}) {
  const bytes =
    typeof body === "string" ? Buffer.from(body) : Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  return parseJsonRequest({ url, contentType, body: bytes, facts });
}

function reasonOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof AppError && error.row.kind === "caller") return error.publicMessage;
    throw error;
  }
  throw new Error("was taken");
}

describe("request fields", () => {
  test.each(Object.entries(textFields))("%s", (wireName, name) => {
    const value = wireName === "client_ip" ? "203.0.113.9" : "value-1";
    expect(parse({ ...minimal, [wireName]: value })[name]).toBe(value);
  });

  test.each(Object.entries(tlsFields))("%s", (wireName, name) => {
    expect(parse({ ...minimal, [wireName]: "value-1" }).tlsDetails?.[name]).toBe("value-1");
  });

  test("ssl_client_verify takes precedence over its older name ssl_verify", () => {
    expect(parse({ ...minimal, ssl_verify: "NONE", ssl_client_verify: "SUCCESS" }).tlsDetails?.clientVerify).toBe(
      "SUCCESS",
    );
    expect(parse({ ...minimal, ssl_client_verify: "SUCCESS", ssl_verify: "NONE" }).tlsDetails?.clientVerify).toBe(
      "SUCCESS",
    );
  });

  test.each([
    ["on", true],
    ["off", true],
    ["", false],
    [undefined, false],
  ])("ssl %j means TLS: %s", (ssl, tls) => {
    expect(parse({ ...minimal, ssl }).tls).toBe(tls);
  });

  test("auth_login_attempt is an integer", () => {
    expect(parse({ ...minimal, auth_login_attempt: 3 }).loginAttempt).toBe(3);
    for (const wrong of [-1, 1.5, "x", true, 1e300]) {
      expect(reasonOf(() => parse({ ...minimal, auth_login_attempt: wrong }))).toContain("auth_login_attempt");
    }
  });

  test("protocol selects the protocol; service and unknown members are ignored", () => {
    const request = parse({ ...minimal, service: "smtp", whatever: { deep: [1] } });
    expect(request.protocol).toBe("imap");
    expect(request).not.toHaveProperty("whatever");
  });

  test("without protocol the endpoint's default applies", () => {
    expect(parse({ username: "a", password: "b" }).protocol).toBe("default");
  });

  test("without user_agent the HTTP header is used; the body takes precedence", () => {
    expect(parse(minimal).userAgent).toBe("doveadm/1");
    expect(parse({ ...minimal, user_agent: "mine" }).userAgent).toBe("mine");
  });

  test("an address in the body takes precedence over the connection's, and discards the connection's port", () => {
    const request = parse({ ...minimal, client_ip: "203.0.113.9" });
    expect(request).toMatchObject({ clientIp: "203.0.113.9" });
    expect(request.clientPort).toBeUndefined();
    expect(parse(minimal)).toMatchObject({ clientIp: "198.51.100.7", clientPort: "40000" });
  });

  test("an unpaired surrogate in a password does not become a replacement character", () => {
    expect(parse({ ...minimal, password: "a\ud800" }).password).toBe("a\0");
    expect(parse({ ...minimal, password: "a\ufffd" }).password).toBe("a\ufffd");
  });

  test("a form has the same names", () => {
    const body = new URLSearchParams({ ...minimal, password: "p w&=ä", ssl: "on", auth_login_attempt: "2" }).toString();
    const contentType = "application/x-www-form-urlencoded; charset=utf-8";
    expect(parse(body, { contentType })).toMatchObject({ ...minimal, password: "p w&=ä", tls: true, loginAttempt: 2 });
  });
});

describe("query parameters", () => {
  test("mode=no-auth is a lookup, without a password", () => {
    expect(parse({ username: "alice" }, { url: "/x?mode=no-auth" })).toMatchObject({ operation: "lookup" });
  });

  test.each([
    ["in-memory=0", { memoryCache: false, sharedCache: true }],
    ["cache=0", { memoryCache: true, sharedCache: false }],
    ["cache=0&in-memory=0", { memoryCache: false, sharedCache: false }],
    ["cache=1", { memoryCache: true, sharedCache: true }],
  ])("%s", (query, expected) => {
    expect(parse(minimal, { url: `/x?${query}` })).toMatchObject(expected);
  });

  test.each(["mode=wizard", "mode=no-auth&mode=no-auth", "cache=0&cache=1"])("%s is 400", (query) => {
    expect(reasonOf(() => parse(minimal, { url: `/x?${query}` }))).not.toBe("");
  });
});

describe("400", () => {
  test.each([
    ["broken JSON", "{", "JSON"],
    ["an empty body", "", "JSON"],
    ["an array", [], "object"],
    ["null", "null", "object"],
    ["no username", { password: "x" }, "username"],
    ["an empty username", { username: "", password: "x" }, "username"],
    ["no password", { username: "alice" }, "password"],
    ["a username of spaces", { username: "  ", password: "x" }, "username"],
    ["an unpaired surrogate", { ...minimal, client_id: "\ud800" }, "Unicode"],
    ["a username with a line break", { username: "al\r\nice", password: "x" }, "username"],
    ["a number for a string", { ...minimal, client_port: 25 }, "client_port"],
    ["an object for a string", { ...minimal, method: {} }, "method"],
    ["bytes that are not UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), "UTF-8"],
  ])("%s", (_what, body, word) => {
    expect(reasonOf(() => parse(body))).toContain(word);
  });

  test.each(["text/plain", "application/cbor", "", "application/jsonx"])("the media type %j", (contentType) => {
    expect(reasonOf(() => parse(minimal, { contentType }))).toBe("Unsupported media type");
  });

  test("a form field given twice", () => {
    const contentType = "application/x-www-form-urlencoded";
    expect(reasonOf(() => parse("username=a&username=b&password=c", { contentType }))).toContain("username");
  });

  test("any bytes result in a request or a reason", () => {
    const contentTypes = fc.constantFrom("application/json", "application/x-www-form-urlencoded");
    const bodies = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.json().map((text) => Buffer.from(text)),
      fc.object().map((o) => Buffer.from(JSON.stringify(o))),
    );
    fc.assert(
      fc.property(bodies, contentTypes, (bytes, contentType) => {
        try {
          parse(Buffer.from(bytes), { contentType });
        } catch (error) {
          expect(error instanceof AppError && error.row.kind).toBe("caller");
        }
      }),
    );
  });

  test("inherited members are not fields", () => {
    expect(reasonOf(() => parse('{"__proto__":{"username":"root","password":"x"}}'))).toContain("username");
  });
});

describe("responses", () => {
  const names = wireNames("service");
  const renderer = jsonEndpoint({ names, releasable: createAttributeFilter(["mailTotp"]) });
  const ok: AuthDecision = {
    outcome: "ok",
    account: "alice@example.test",
    accountField: "mail",
    totpSecretField: "",
    backend: 8,
    attributes: {
      mail: ["alice@example.test"],
      userPassword: ["x"],
      mailTotp: ["x"],
      accessToken: ["x"],
      uid: ["1", "2"],
    },
    memoryCache: "miss",
  };

  test("success is 200 with the object in its documented order and without secret attributes", () => {
    const { status, headers, body } = renderer.decision(ok, "7d3f");
    expect(status).toBe(200);
    expect(headers).toEqual([
      ["Auth-Status", "OK"],
      ["X-Service-Session", "7d3f"],
      ["Auth-User", "alice@example.test"],
      ["X-Service-Memory-Cache", "Miss"],
      ["Content-Type", "application/json; charset=utf-8"],
    ]);
    expect(body).toBe(
      '{"ok":true,"account_field":"mail","totp_secret_field":"","backend":8,"attributes":{"mail":["alice@example.test"],"uid":["1","2"]}}',
    );
  });

  test("without attributes, the object is empty", () => {
    expect(renderer.decision({ ...ok, attributes: {} }, "7d3f").body).toContain('"attributes":{}');
  });

  test("the body is the attributes' JSON in UTF-8, byte for byte, whatever they contain", () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: "binary" }),
      fc.constantFrom("\u00e4", "\u6f22", "\ud83d\ude00"),
    );
    fc.assert(
      fc.property(text, (value) => {
        const { body } = renderer.decision({ ...ok, attributes: { cn: [value] } }, "7d3f");
        const parsed: unknown = JSON.parse(Buffer.from(body, "latin1").toString("utf8"));
        expect(parsed).toMatchObject({ attributes: { cn: [value] } });
      }),
    );
  });

  test.each([
    ["a wrong password", { outcome: "fail", reason: "wrong_password", memoryCache: "miss" }],
    ["an unknown user", { outcome: "fail", reason: "unknown_user", memoryCache: "miss" }],
    ["a disabled account", { outcome: "fail", reason: "account_disabled", memoryCache: "miss" }],
    ["a ban", { outcome: "blocked", rule: "r1", memoryCache: "miss" }],
  ] satisfies [string, AuthDecision][])(
    "%s is 403, FAIL, null, and indistinguishable from every other denial",
    (_what, decision) => {
      const { status, headers, body } = renderer.decision(decision, "7d3f");
      expect([status, body]).toEqual([403, "null"]);
      expect(headers).toEqual([
        ["Auth-Status", "FAIL"],
        ["X-Service-Session", "7d3f"],
        ["X-Service-Memory-Cache", "Miss"],
        ["Content-Type", "application/json; charset=utf-8"],
      ]);
    },
  );

  test("a policy's message replaces FAIL", () => {
    const decision: AuthDecision = { outcome: "fail", reason: "policy", message: "Not from here", memoryCache: "miss" };
    expect(renderer.decision(decision, "7d3f").headers[0]).toEqual(["Auth-Status", "Not from here"]);
  });

  test("a temporary failure is 500 with {error} and the message in Auth-Status", () => {
    const { status, headers, body } = renderer.decision(
      { outcome: "tempfail", code: "OVERLOADED", message: "Later" },
      "7d3f",
    );
    expect([status, body]).toEqual([500, '{"error":"Later"}']);
    expect(headers).toContainEqual(["Auth-Status", "Later"]);
  });

  test("no value can split a header", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (account) => {
        for (const [, value] of renderer.decision({ ...ok, account }, "7d3f").headers) {
          // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
          expect(value).not.toMatch(/[\u0000-\u001f\u007f]|[^\u0000-\u00ff]/);
        }
      }),
    );
  });
});
