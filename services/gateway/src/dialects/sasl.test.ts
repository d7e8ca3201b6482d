import type { AuthDecision, AuthRequest } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { describe, expect, test } from "vitest";
import { wireNames } from "../http/naming.ts";
import type { RequestFacts } from "./complete-request.ts";
import { parseSaslRequest, saslEndpoint } from "./sasl.ts";

const facts: RequestFacts = {
  session: "7d3f",
  dialect: "sasl",
  clientIp: "198.51.100.7",
  clientPort: "40000",
  clientIpIsPeer: false,
  userAgent: "saslauthd",
  acceptLanguage: undefined,
};
const minimal = { username: "alice", password: "pw" };

function parse(fields: Record<string, string>, contentType = "application/x-www-form-urlencoded"): AuthRequest {
  return parseSaslRequest({ contentType, body: Buffer.from(new URLSearchParams(fields).toString()), facts });
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

describe("form fields", () => {
  test("protocol", () => {
    expect(parse({ ...minimal, protocol: "smtp" }).protocol).toBe("smtp");
    expect(parse(minimal).protocol).toBe("default");
  });

  test("port is the server's", () => {
    expect(parse({ ...minimal, port: "587" })).toMatchObject({ localPort: "587", clientPort: "40000" });
  });

  test("method", () => {
    expect(parse({ ...minimal, method: "plain" }).method).toBe("plain");
  });

  test.each([
    ["on", true],
    ["off", true],
    ["", false],
  ])("tls %j means TLS: %s", (tls, expected) => {
    expect(parse({ ...minimal, tls }).tls).toBe(expected);
  });

  test("security is the TLS version", () => {
    expect(parse({ ...minimal, security: "TLSv1.3" }).tlsDetails).toEqual({ protocol: "TLSv1.3" });
  });

  test("user_agent takes precedence over the HTTP header", () => {
    expect(parse({ ...minimal, user_agent: "mine" }).userAgent).toBe("mine");
    expect(parse(minimal).userAgent).toBe("saslauthd");
  });

  test("username is required", () => {
    expect(parse(minimal).username).toBe("alice");
    for (const fields of [
      { password: "pw" },
      { username: "", password: "pw" },
      { username: "", realm: "x", password: "" },
    ]) {
      expect(reasonOf(() => parse(fields))).toContain("username");
    }
  });

  test("realm is appended to the username if it is not empty", () => {
    expect(parse({ ...minimal, realm: "example.test" }).username).toBe("alice@example.test");
    expect(parse({ ...minimal, realm: "" }).username).toBe("alice");
  });

  test("password is required; an empty one is left to the decision", () => {
    expect(parse({ username: "alice", password: "p w&ä=" }).password).toBe("p w&ä=");
    expect(parse({ username: "alice", password: "" }).password).toBe("");
    expect(reasonOf(() => parse({ username: "alice" }))).toContain("password");
  });

  test("other fields are ignored", () => {
    const others = { client_ip: "203.0.113.9", ssl: "on", local_ip: "10.0.0.1", oidc_cid: "x", ssl_cipher: "x" };
    expect(parse({ ...minimal, ...others })).toEqual({ ...parse(minimal) });
  });
});

test.each(["application/json", "text/plain", "", "multipart/form-data"])("the media type %j is 400", (contentType) => {
  expect(reasonOf(() => parse(minimal, contentType))).toBe("Unsupported media type");
});

test("responses are those of the header endpoint, without attributes and Auth-Wait", () => {
  const ok: AuthDecision = {
    outcome: "ok",
    account: "alice@example.test",
    accountField: "mail",
    totpSecretField: "",
    backend: 8,
    attributes: { mail: ["a"] },
    memoryCache: "miss",
  };
  const { decision: render, malformed } = saslEndpoint(wireNames("service"));
  expect(render(ok, "7d3f")).toEqual({
    status: 200,
    headers: [
      ["Auth-Status", "OK"],
      ["X-Service-Session", "7d3f"],
      ["Auth-User", "alice@example.test"],
      ["X-Service-Memory-Cache", "Miss"],
    ],
    body: "",
  });
  const denied = render({ outcome: "fail", reason: "wrong_password", memoryCache: "miss", waitSeconds: 2 }, "7d3f");
  expect([denied.status, denied.body]).toEqual([403, "null"]);
  expect(denied.headers.map(([name]) => name)).not.toContain("Auth-Wait");
  const undecided = render({ outcome: "tempfail", code: "OVERLOADED", message: "Later" }, "7d3f");
  expect([undecided.status, undecided.body]).toEqual([500, '{"error":"Later"}']);
  expect(malformed("why", "7d3f").status).toBe(400);
});
