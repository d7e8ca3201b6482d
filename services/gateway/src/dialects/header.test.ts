import type { AuthDecision, AuthRequest } from "@postern/shared/contracts";
import { createAttributeFilter } from "@postern/shared/domain/released-attributes";
import { AppError } from "@postern/shared/platform/errors";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defaultHeaderNames } from "../../../../test/support/header-names.ts";
import { wireNames } from "../http/naming.ts";
import { createAttributeHeaders } from "./attribute-headers.ts";
import type { RequestFacts } from "./complete-request.ts";
import { createHeaderParser, headerEndpoint } from "./header.ts";

const facts: RequestFacts = {
  session: "7d3f",
  dialect: "header",
  clientIp: "198.51.100.7",
  clientPort: "40000",
  clientIpIsPeer: false,
  userAgent: "nginx/1",
  acceptLanguage: undefined,
};
const headerNames = defaultHeaderNames();
const parseWithQuery = createHeaderParser(headerNames, true);
const minimal = { "Auth-User": "alice@example.test", "Auth-Pass": "pw", "Auth-Protocol": "imap" };

function parse(headers: Record<string, string>, url = "/api/v1/auth/header"): AuthRequest {
  return parseWithQuery({ url, rawHeaders: Object.entries(headers).flat(), facts });
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

describe("request headers", () => {
  test("Auth-User is the username, and required", () => {
    expect(parse(minimal).username).toBe("alice@example.test");
    expect(reasonOf(() => parse({ "Auth-Pass": "pw", "Auth-Protocol": "imap" }))).toContain("username");
    expect(reasonOf(() => parse({ ...minimal, "Auth-User": "" }))).toContain("username");
  });

  test("Auth-Protocol is the protocol, and required", () => {
    expect(parse(minimal).protocol).toBe("imap");
    expect(reasonOf(() => parse({ "Auth-User": "a", "Auth-Pass": "pw" }))).toContain("Auth-Protocol");
    expect(reasonOf(() => parse({ ...minimal, "Auth-Protocol": "" }))).toContain("Auth-Protocol");
  });

  test("Auth-Pass is the password; without it the password is empty, which the decision denies", () => {
    expect(parse(minimal).password).toBe("pw");
    expect(parse({ "Auth-User": "a", "Auth-Protocol": "imap" }).password).toBe("");
  });

  test("Auth-Password-Encoded 0 means that the password is not decoded at all", () => {
    for (const plain of ["a%41b", "100%", "%c3%a4", "+"]) {
      expect(parse({ ...minimal, "Auth-Pass": plain, "Auth-Password-Encoded": "0" }).password).toBe(plain);
    }
    const bytes = Buffer.from("wörter%41").toString("latin1");
    expect(parse({ ...minimal, "Auth-Pass": bytes, "Auth-Password-Encoded": "0" }).password).toBe("wörter%41");
    expect(reasonOf(() => parse({ ...minimal, "Auth-Pass": "\u00ff", "Auth-Password-Encoded": "0" }))).toContain(
      "UTF-8",
    );
    expect(parse({ ...minimal, "Auth-Pass": "a%41b", "Auth-Password-Encoded": "" }).password).toBe("aAb");
  });

  test.each(["true", "yes", "2", "01", "1, 1", "%31"])("Auth-Password-Encoded %j is 400", (value) => {
    const headers = { ...minimal, "Auth-Pass": "x", "Auth-Password-Encoded": value };
    expect(reasonOf(() => parse(headers))).toContain("Auth-Password-Encoded");
  });

  test("Auth-Password-Encoded 1 means that the password is Base64, 0 that it is plain", () => {
    const encoded = Buffer.from("p w ä").toString("base64");
    expect(parse({ ...minimal, "Auth-Pass": encoded, "Auth-Password-Encoded": "1" }).password).toBe("p w ä");
    expect(parse({ ...minimal, "Auth-Pass": encoded, "Auth-Password-Encoded": "0" }).password).toBe(encoded);
    expect(parse({ ...minimal, "Auth-Pass": "_-8", "Auth-Password-Encoded": "0" }).password).toBe("_-8");
    expect(reasonOf(() => parse({ ...minimal, "Auth-Pass": "!", "Auth-Password-Encoded": "1" }))).toContain("Base64");
  });

  test("a certificate's Latin-1 names are decoded as such, and do not cause a rejection", () => {
    expect(parse({ ...minimal, "Auth-SSL-Subject": "\u00f6 %DF%80" }).tlsDetails?.clientDn).toBe("\u00f6 \u00df\ufffd");
  });

  test("Auth-Method is the method", () => {
    expect(parse({ ...minimal, "Auth-Method": "plain" }).method).toBe("plain");
  });

  test("Auth-Login-Attempt is the login attempt counter", () => {
    expect(parse({ ...minimal, "Auth-Login-Attempt": "3" }).loginAttempt).toBe(3);
    expect(reasonOf(() => parse({ ...minimal, "Auth-Login-Attempt": "x" }))).toContain("auth_login_attempt");
  });

  test("Client-IP and X-Client-Port are part of the connection's facts, by the trusted-proxy rule", () => {
    const request = parse({ ...minimal, "Client-IP": "203.0.113.9", "X-Client-Port": "1" });
    expect(request).toMatchObject({ clientIp: "198.51.100.7", clientPort: "40000" });
  });

  test("User-Agent is the user agent", () => {
    expect(parse(minimal).userAgent).toBe("nginx/1");
  });

  test.each([
    ["X-Client-Host", "clientHostname"],
    ["X-Client-Id", "clientId"],
    ["X-External-Session-Id", "externalSessionId"],
    ["X-Local-IP", "localIp"],
    ["X-Auth-Port", "localPort"],
    ["X-OIDC-CID", "oidcClientId"],
  ] as const)("%s is %s", (header, field) => {
    expect(parse({ ...minimal, [header]: "value%2D1" })[field]).toBe("value-1");
    expect(parse(minimal)[field]).toBeUndefined();
  });

  test.each([
    ["on", true],
    ["off", true],
    ["", false],
  ])("Auth-SSL %j means TLS: %s", (value, tls) => {
    expect(parse({ ...minimal, "Auth-SSL": value }).tls).toBe(tls);
    expect(parse(minimal).tls).toBe(false);
  });

  test.each([
    ["Auth-SSL-Session-ID", "sessionId"],
    ["Auth-SSL-Verify", "clientVerify"],
    ["Auth-SSL-Subject", "clientDn"],
    ["Auth-SSL-Client-CN", "clientCn"],
    ["Auth-SSL-Issuer", "issuer"],
    ["Auth-SSL-Client-Not-Before", "clientNotBefore"],
    ["Auth-SSL-Client-Not-After", "clientNotAfter"],
    ["Auth-SSL-Subject-DN", "subjectDn"],
    ["Auth-SSL-Issuer-DN", "issuerDn"],
    ["Auth-SSL-Client-Subject-DN", "clientSubjectDn"],
    ["Auth-SSL-Client-Issuer-DN", "clientIssuerDn"],
    ["Auth-SSL-Cipher", "cipher"],
    ["Auth-SSL-Protocol", "protocol"],
    ["Auth-SSL-Serial", "serial"],
    ["Auth-SSL-Fingerprint", "fingerprint"],
  ] as const)("%s is the TLS detail %s", (header, field) => {
    expect(parse({ ...minimal, [header]: "cn=a%2Co=b" }).tlsDetails).toEqual({ [field]: "cn=a,o=b" });
  });

  test("headers are read under their configured names, in any case, and a header whose name is empty is not read", () => {
    const names = { ...headerNames, username: "X-Login", client_id: "" };
    const parser = createHeaderParser(names, true);
    const rawHeaders = ["x-LOGIN", "bob", "Auth-User", "alice", "Auth-Protocol", "imap", "X-Client-Id", "x", "", "x"];
    const request = parser({ url: "/", rawHeaders, facts });
    expect(request.username).toBe("bob");
    expect(request.clientId).toBeUndefined();
  });

  test.each(Object.keys(minimal))("%s given twice is 400", (name) => {
    const rawHeaders = [...Object.entries(minimal).flat(), name.toUpperCase(), "x"];
    expect(reasonOf(() => parseWithQuery({ url: "/", rawHeaders, facts }))).toContain("more than once");
  });

  test.each(["Auth-User", "Auth-Pass", "Auth-Protocol", "X-Client-Host"])("%s that is not UTF-8 is 400", (name) => {
    for (const value of ["%ff", "\u00ff"]) {
      expect(reasonOf(() => parse({ ...minimal, [name]: value }))).toContain(name);
    }
  });

  test("user name and password are decoded as nginx escapes them", () => {
    const request = parse({ ...minimal, "Auth-User": "j%c3%bcrgen", "Auth-Pass": "a%20+%2550%0d" });
    expect(request).toMatchObject({ username: "jürgen", password: "a +%50\r" });
    expect(reasonOf(() => parse({ ...minimal, "Auth-User": "a%0d%0ab" }))).toContain("username");
  });

  test("any headers result in a request or a reason, and the reason never contains the password", () => {
    const header = fc.tuple(fc.constantFrom(...Object.values(headerNames)), fc.string({ unit: "binary-ascii" }));
    fc.assert(
      fc.property(fc.array(header), fc.boolean(), (pairs, encoded) => {
        const rawHeaders = [
          ...pairs.flat(),
          "Auth-Pass",
          "canary-\u00ff",
          "Auth-Password-Encoded",
          encoded ? "1" : "0",
        ];
        try {
          parseWithQuery({ url: "/x", rawHeaders, facts });
        } catch (error) {
          expect(error instanceof AppError && error.row.kind).toBe("caller");
          expect(String(error)).not.toContain("canary");
        }
      }),
    );
  });
});

describe("query parameters", () => {
  test("mode=no-auth is a lookup", () => {
    const request = parse({ "Auth-User": "a", "Auth-Protocol": "imap" }, "/x?mode=no-auth");
    expect(request.operation).toBe("lookup");
    expect(request).not.toHaveProperty("password");
  });

  test("in-memory=0 and cache=0", () => {
    expect(parse(minimal, "/x?in-memory=0&cache=0")).toMatchObject({ memoryCache: false, sharedCache: false });
  });

  test("an endpoint without query parameters ignores them", () => {
    const parser = createHeaderParser(headerNames, false);
    const request = parser({ url: "/x?mode=no-auth&cache=0", rawHeaders: Object.entries(minimal).flat(), facts });
    expect(request).toMatchObject({ operation: "authenticate", sharedCache: true });
  });
});

describe("response headers", () => {
  const names = wireNames("service");
  const leftOut: unknown[] = [];
  const renderer = headerEndpoint({
    names,
    attributeHeaders: createAttributeHeaders(names, createAttributeFilter([])),
    settings: { requestHeaders: headerNames },
    logger: { warn: (fields: object) => void leftOut.push(fields) },
  });
  const ok = {
    outcome: "ok",
    account: "alice@example.test",
    accountField: "mail",
    totpSecretField: "",
    backend: 8,
    attributes: { DisplayName: ["Alice"], userPassword: ["x"] },
    memoryCache: "hit",
  } as const satisfies AuthDecision;
  const denied: AuthDecision = { outcome: "fail", reason: "wrong_password", memoryCache: "miss", waitSeconds: 2 };
  const undecided: AuthDecision = { outcome: "tempfail", code: "OVERLOADED", message: "Later" };
  const valueOf = (decision: AuthDecision, wanted: string): string | undefined =>
    renderer.decision(decision, "7d3f").headers.find(([name]) => name === wanted)?.[1];

  test("Auth-Status is OK, FAIL or the temporary error's message", () => {
    expect([ok, denied, undecided].map((decision) => valueOf(decision, "Auth-Status"))).toEqual([
      "OK",
      "FAIL",
      "Later",
    ]);
  });

  test.each(["OK", " ok ", "WAIT", "", " "])("a denial with the text %j has the status FAIL", (message) => {
    expect(valueOf({ ...denied, message }, "Auth-Status")).toBe("FAIL");
    expect(valueOf({ ...undecided, message }, "Auth-Status")).toBe("FAIL");
  });

  test("a policy's message replaces FAIL", () => {
    expect(valueOf({ ...denied, message: "Not from here" }, "Auth-Status")).toBe("Not from here");
  });

  test("X-Service-Session is on every response", () => {
    for (const decision of [ok, denied, undecided]) expect(valueOf(decision, "X-Service-Session")).toBe("7d3f");
    expect(renderer.malformed("why", "7d3f").headers).toContainEqual(["X-Service-Session", "7d3f"]);
  });

  test("X-Service-Memory-Cache is Hit from the local cache, else Miss", () => {
    const values = [ok, denied, undecided].map((decision) => valueOf(decision, "X-Service-Memory-Cache"));
    expect(values).toEqual(["Hit", "Miss", "Miss"]);
  });

  test("Auth-User is the account", () => {
    expect([ok, denied].map((decision) => valueOf(decision, "Auth-User"))).toEqual(["alice@example.test", undefined]);
  });

  test("Auth-Wait is in seconds, on failed authentication only", () => {
    expect([ok, denied, undecided].map((decision) => valueOf(decision, "Auth-Wait"))).toEqual([
      undefined,
      "2",
      undefined,
    ]);
  });

  test.each(["Auth-Port", "Auth-Server", "Auth-Error-Code"])("%s is the proxy-style endpoint's only", (name) => {
    for (const decision of [ok, denied, undecided]) expect(valueOf(decision, name)).toBeUndefined();
  });

  test("X-Service-<AttributeName>: released attributes, on success only", () => {
    expect(valueOf(ok, "X-Service-DisplayName")).toBe("Alice");
    expect(valueOf(ok, "X-Service-userPassword")).toBeUndefined();
  });

  test("attributes beyond the size that clients read are omitted and reported", () => {
    const decision = { ...ok, attributes: { big: ["x".repeat(20_000)], mail: ["m"] } };
    expect(valueOf(decision, "X-Service-big")).toBeUndefined();
    expect(valueOf(decision, "X-Service-mail")).toBe("m");
    expect(leftOut).toContainEqual({ session: "7d3f", attributes: ["big"] });
  });

  test("statuses and bodies", () => {
    const answers = [ok, denied, undecided].map((decision) => renderer.decision(decision, "7d3f"));
    const shown = [...answers, renderer.malformed("why", "7d3f")].map(({ status, body }) => [status, body]);
    expect(shown).toEqual([
      [200, ""],
      [403, "null"],
      [500, '{"error":"Later"}'],
      [400, '{"error":"why"}'],
    ]);
  });
});
