import type { AuthDecision, AuthRequest } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultHeaderNames } from "../../../../test/support/header-names.ts";
import { wireNames } from "../http/naming.ts";
import { basicEndpoint, createBasicParser } from "./basic.ts";
import type { RequestFacts } from "./complete-request.ts";

const facts: RequestFacts = {
  session: "7d3f",
  dialect: "basic",
  clientIp: "198.51.100.7",
  clientPort: "40000",
  clientIpIsPeer: false,
  userAgent: "curl/8",
  acceptLanguage: undefined,
};
const parser = createBasicParser(defaultHeaderNames());
const basic = (credentials: string): string => `Basic ${Buffer.from(credentials).toString("base64")}`;
const parse = (headers: Record<string, string>): AuthRequest =>
  parser({ url: "", rawHeaders: Object.entries(headers).flat(), facts });

function reasonOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof AppError && error.row.kind === "caller") return error.publicMessage;
    throw error;
  }
  throw new Error("was taken");
}

describe("GET /api/v1/auth/basic", () => {
  test("Authorization carries the user's credentials; the first colon ends the name", () => {
    const request = parse({ Authorization: basic("alice:p:w ä"), "Auth-Protocol": "http" });
    expect(request).toMatchObject({ username: "alice", password: "p:w ä", protocol: "http", dialect: "basic" });
    expect(parse({ Authorization: basic("alice:"), "Auth-Protocol": "http" }).password).toBe("");
  });

  test("Auth-Method, Auth-Login-Attempt and the OIDC client header are read", () => {
    const headers = { "Auth-Method": "plain", "Auth-Login-Attempt": "2", "X-OIDC-CID": "web" };
    expect(parse({ Authorization: basic("a:b"), "Auth-Protocol": "http", ...headers })).toMatchObject({
      method: "plain",
      loginAttempt: 2,
      oidcClientId: "web",
    });
  });

  test("no other field is accepted from an unauthenticated client", () => {
    const headers = {
      "Auth-User": "root",
      "Auth-Pass": "x",
      "Auth-SSL": "on",
      "X-Local-IP": "10.0.0.1",
      "X-Client-Id": "x",
    };
    expect(parse({ Authorization: basic("a:b"), "Auth-Protocol": "http", ...headers })).toEqual({
      session: "7d3f",
      operation: "authenticate",
      dialect: "basic",
      username: "a",
      password: "b",
      protocol: "http",
      clientIp: "198.51.100.7",
      clientPort: "40000",
      userAgent: "curl/8",
      tls: false,
      memoryCache: true,
      sharedCache: true,
    });
  });

  test("a request without Authorization or Auth-Protocol is 400", () => {
    expect(reasonOf(() => parse({ "Auth-Protocol": "http" }))).toContain("Authorization");
    expect(reasonOf(() => parse({ Authorization: basic("a:b") }))).toContain("Auth-Protocol");
  });

  test.each(["", "Basic", "Bearer abc", "Basic !!", basic("nocolon"), basic(":pw"), "Basic /w==", `${basic("a:b")} x`])(
    "Authorization %j is 400",
    (authorization) => {
      expect(reasonOf(() => parse({ Authorization: authorization, "Auth-Protocol": "http" }))).toContain("Basic");
    },
  );

  test("Authorization given twice is 400", () => {
    const rawHeaders = ["Authorization", basic("a:b"), "authorization", basic("c:d"), "Auth-Protocol", "http"];
    expect(reasonOf(() => parser({ url: "", rawHeaders, facts }))).toContain("more than once");
  });

  test("any value results in a request or a reason", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.boolean(), (text, encoded) => {
        const headers = { Authorization: encoded ? basic(text) : `Basic ${text}`, "Auth-Protocol": "http" };
        try {
          parse(headers);
        } catch (error) {
          expect(error instanceof AppError && error.row.kind).toBe("caller");
        }
      }),
    );
  });

  test("a response is 200 with the account, 403 null without a wait, or 500 {error}", () => {
    const ok: AuthDecision = {
      outcome: "ok",
      account: "alice",
      accountField: "mail",
      totpSecretField: "",
      backend: 8,
      attributes: { mail: ["a"] },
      memoryCache: "miss",
    };
    const decisions: AuthDecision[] = [
      ok,
      { outcome: "fail", reason: "wrong_password", memoryCache: "miss", waitSeconds: 2 },
      { outcome: "tempfail", code: "OVERLOADED", message: "Later" },
    ];
    const { decision: render, malformed } = basicEndpoint(wireNames("service"), defaultHeaderNames());
    const answers = [...decisions.map((decision) => render(decision, "7d3f")), malformed("why", "7d3f")];
    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [200, ""],
      [403, "null"],
      [500, '{"error":"Later"}'],
      [400, '{"error":"why"}'],
    ]);
    const status = answers.map(({ headers }) => headers.find(([name]) => name === "Auth-Status")?.[1]);
    expect(status).toEqual(["OK", "FAIL", "Later", undefined]);
    const sent = new Set(answers.flatMap(({ headers }) => headers.map(([name]) => name)));
    expect(answers[0]?.headers).toContainEqual(["Auth-User", "alice"]);
    expect(sent).toEqual(
      new Set(["Auth-Status", "Auth-User", "X-Service-Session", "X-Service-Memory-Cache", "Content-Type"]),
    );
  });
});
