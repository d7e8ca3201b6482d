import type { AuthDecision } from "@postern/shared/contracts";
import { createAttributeFilter } from "@postern/shared/domain/released-attributes";
import { describe, expect, test } from "vitest";
import { wireNames } from "../http/naming.ts";
import { createAttributeHeaders } from "./attribute-headers.ts";
import { createProxyRenderer } from "./proxy.ts";

const names = wireNames("service");
const noUpstream: unknown[] = [];

function rendererWith(denialText = "", responseCodes = false) {
  return createProxyRenderer({
    names,
    attributeHeaders: createAttributeHeaders(names, createAttributeFilter([])),
    live: {
      current: {
        proxy: {
          denialText,
          responseCodes,
          upstreams: new Map([
            ["imap", { address: "192.0.2.1", port: 143 }],
            ["smtp", { address: "2001:db8::1", port: 25 }],
          ]),
        },
      },
    },
    upstreams: {
      pick: (protocol, account) =>
        protocol === "pop3" && account !== "" ? { address: "192.0.2.9", port: 1110 } : undefined,
    },
    logger: { warn: (fields: object) => void noUpstream.push(fields) },
  });
}

const ok = {
  outcome: "ok",
  account: "alice@example.test",
  accountField: "mail",
  totpSecretField: "",
  backend: 8,
  attributes: { uid: ["alice"] },
  memoryCache: "miss",
} as const satisfies AuthDecision;
const denied = { outcome: "fail", reason: "wrong_password", memoryCache: "miss", waitSeconds: 3 } as const;
const undecided = { outcome: "tempfail", code: "OVERLOADED", message: "Later" } as const;

function headersOf(decision: AuthDecision, { protocol = "imap", denialText = "" } = {}): Record<string, string> {
  return Object.fromEntries(rendererWith(denialText).decision(decision, "7d3f", protocol).headers);
}

test("success, failure and temporary failure are all 200", () => {
  const answers = [ok, denied, undecided].map((decision) => rendererWith().decision(decision, "7d3f", "imap"));
  expect(answers.map(({ status, body }) => [status, body])).toEqual([
    [200, ""],
    [200, "null"],
    [200, '{"error":"Later"}'],
  ]);
});

test("a malformed request is 400", () => {
  const { status, headers, body } = rendererWith().malformed("why", "7d3f");
  expect([status, body]).toEqual([400, '{"error":"why"}']);
  expect(headers).toContainEqual(["X-Service-Session", "7d3f"]);
});

describe("response headers", () => {
  test.each([
    ["imap", "192.0.2.1", "143"],
    ["IMAP", "192.0.2.1", "143"],
    ["smtp", "2001:db8::1", "25"],
  ])("Auth-Server and Auth-Port for %s", (protocol, address, port) => {
    expect(headersOf(ok, { protocol })).toMatchObject({
      "Auth-Status": "OK",
      "Auth-Server": address,
      "Auth-Port": port,
      "Auth-User": "alice@example.test",
      "X-Service-Session": "7d3f",
      "X-Service-Memory-Cache": "Miss",
    });
  });

  test("Auth-Server and Auth-Port are on success only", () => {
    for (const decision of [denied, undecided]) {
      expect(headersOf(decision)).not.toHaveProperty("Auth-Server");
      expect(headersOf(decision)).not.toHaveProperty("Auth-Port");
    }
  });

  test("a success for a protocol without an upstream is a temporary failure and is reported", () => {
    const headers = headersOf(ok, { protocol: "sieve" });
    expect(headers["Auth-Status"]).toBe("Temporary server problem, try again later");
    expect(headers).not.toHaveProperty("Auth-Server");
    expect(headers).not.toHaveProperty("Auth-User");
    expect(noUpstream).toContainEqual({ session: "7d3f", protocol: "sieve" });
  });

  test("Auth-Wait is on failure", () => {
    expect(headersOf(denied)["Auth-Wait"]).toBe("3");
    for (const decision of [ok, undecided]) expect(headersOf(decision)).not.toHaveProperty("Auth-Wait");
  });

  test("Auth-Status of a denial is the decision's message, otherwise proxy_denial_text, otherwise FAIL", () => {
    const denialText = "Wrong user name or password";
    expect(headersOf(denied)["Auth-Status"]).toBe("FAIL");
    expect(headersOf(denied, { denialText })["Auth-Status"]).toBe(denialText);
    expect(headersOf({ ...denied, message: "Not from here" }, { denialText })["Auth-Status"]).toBe("Not from here");
  });

  test.each([
    ["imap", denied, "[AUTHENTICATIONFAILED] FAIL"],
    ["IMAP", undecided, "[UNAVAILABLE] Later"],
    ["pop3", denied, "[AUTH] FAIL"],
    ["pop3", undecided, "[SYS/TEMP] Later"],
    ["smtp", denied, "FAIL"],
    ["smtp", undecided, "Later"],
    ["sieve", undecided, "Later"],
    ["constructor", undecided, "Later"],
    ["imap", { ...denied, message: "OK" }, "[AUTHENTICATIONFAILED] FAIL"],
    ["imap", { ...denied, message: "[EXPIRED] Change your password" }, "[EXPIRED] Change your password"],
    ["imap", ok, "OK"],
  ] as const)("with proxy_response_codes, %s shows %j as %s", (protocol, decision, status) => {
    const { headers } = rendererWith("", true).decision(decision, "7d3f", protocol);
    expect(Object.fromEntries(headers)["Auth-Status"]).toBe(status);
  });

  test("a long text with a response code stays within nginx's buffer", () => {
    const { headers } = rendererWith("", true).decision({ ...denied, message: "é".repeat(500) }, "7d3f", "imap");
    expect(Object.fromEntries(headers)["Auth-Status"]?.length).toBeLessThanOrEqual(400);
  });

  test.each(["OK", "ok", "WAIT"])("no denial has the status %s, which nginx would not treat as a denial", (word) => {
    expect(headersOf({ ...denied, message: word })["Auth-Status"]).toBe("FAIL");
    expect(headersOf(denied, { denialText: word })["Auth-Status"]).toBe("FAIL");
    expect(headersOf({ ...undecided, message: word })["Auth-Status"]).toBe("FAIL");
  });

  test("Auth-Error-Code is for smtp and temporary failures only", () => {
    expect(headersOf(undecided, { protocol: "smtp" })["Auth-Error-Code"]).toBe("451 4.3.0");
    expect(headersOf(undecided, { protocol: "imap" })).not.toHaveProperty("Auth-Error-Code");
    for (const decision of [ok, denied]) {
      expect(headersOf(decision, { protocol: "smtp" })).not.toHaveProperty("Auth-Error-Code");
    }
    expect(
      rendererWith()
        .decision(undecided, "7d3f", "")
        .headers.map(([name]) => name),
    ).not.toContain("Auth-Error-Code");
  });

  test("X-Service-<AttributeName>", () => {
    expect(headersOf(ok)["X-Service-uid"]).toBe("alice");
    expect(headersOf(denied)).not.toHaveProperty("X-Service-uid");
  });

  test("a response fits into nginx's buffer of 1024 bytes, whatever the attributes and texts", () => {
    const attributes = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`a${index}`, ["x".repeat(30)]]));
    const message = "ä".repeat(2000);
    const frame = 200;
    for (const decision of [
      { ...ok, attributes },
      { ...denied, message },
      { ...undecided, message },
    ] as const) {
      const { headers } = rendererWith().decision(decision, "7d3f", "smtp");
      const bytes = headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, frame);
      expect(bytes).toBeLessThan(1024);
      expect(bytes).toBeGreaterThan(600);
    }
  });

  test("a long text is truncated between characters", () => {
    const status = headersOf({ ...denied, message: `a${"ä".repeat(2000)}` })["Auth-Status"] ?? "";
    expect(Buffer.from(status, "latin1").toString("utf8")).toMatch(/^aä+$/);
  });
});
