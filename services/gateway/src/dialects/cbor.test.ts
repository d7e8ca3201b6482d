import type { AuthDecision } from "@postern/shared/contracts";
import { createAttributeFilter } from "@postern/shared/domain/released-attributes";
import { decodeCbor, encodeCbor } from "@postern/shared/platform/cbor";
import { readCborCorpus, wellFormedCbor } from "@postern/shared/platform/cbor/testing";
import { AppError } from "@postern/shared/platform/errors";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { wireNames } from "../http/naming.ts";
import { textFields, tlsFields } from "./auth-fields.ts";
import { cborEndpoint, parseCborRequest } from "./cbor.ts";
import type { RequestFacts } from "./complete-request.ts";
import { parseJsonRequest } from "./json.ts";

const facts: RequestFacts = {
  session: "7d3f",
  dialect: "cbor",
  clientIp: "198.51.100.7",
  clientPort: "40000",
  clientIpIsPeer: false,
  userAgent: "doveadm/1",
  acceptLanguage: undefined,
};

type Field = string | number | boolean | null;

const minimal = { username: "alice@example.test", password: "pw", protocol: "imap" };

function parse(
  body: Buffer | Readonly<Record<string, Field>>,
  { url = "/api/v1/auth/cbor", contentType = "application/cbor" } = {},
) {
  return parseCborRequest({ url, contentType, body: Buffer.isBuffer(body) ? body : encodeCbor(body), facts });
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

/** A map of text to an item in hex. */
const withField = (name: string, hex: string): Buffer =>
  Buffer.concat([
    Buffer.of(0xa3),
    ...["username", "alice", "password", "pw", name].map((text) => encodeCbor(text)),
    Buffer.from(hex, "hex"),
  ]);

describe("request fields", () => {
  test.each(Object.entries(textFields))("%s", (wireName, name) => {
    const value = wireName === "client_ip" ? "203.0.113.9" : "value-1";
    expect(parse({ ...minimal, [wireName]: value })[name]).toBe(value);
  });

  test.each(Object.entries(tlsFields))("%s", (wireName, name) => {
    expect(parse({ ...minimal, [wireName]: "value-1" }).tlsDetails?.[name]).toBe("value-1");
  });

  test.each([
    ["on", true],
    ["off", true],
    ["", false],
    [null, false],
  ])("ssl %j means TLS: %s", (ssl, tls) => {
    expect(parse({ ...minimal, ssl }).tls).toBe(tls);
  });

  test("auth_login_attempt is an integer of any width", () => {
    for (const hex of ["03", "1803", "190003", "1b0000000000000003", "f94200", "fb4008000000000000"]) {
      expect(parse(withField("auth_login_attempt", hex)).loginAttempt).toBe(3);
    }
    for (const hex of ["20", "f93e00", "f5", "4103", "8103", "1b0020000000000000"]) {
      expect(reasonOf(() => parse(withField("auth_login_attempt", hex)))).toMatch(/auth_login_attempt|2\^53/);
    }
  });

  test("null means that the field is absent", () => {
    expect(parse({ ...minimal, method: null, client_ip: null, auth_login_attempt: null })).toEqual(parse(minimal));
    expect(reasonOf(() => parse({ ...minimal, password: null }))).toContain("password");
  });

  test("CBOR and JSON parse the same fields to the same request", () => {
    const names = fc.constantFrom(...Object.keys(textFields), ...Object.keys(tlsFields), "ssl");
    fc.assert(
      fc.property(fc.dictionary(names, fc.oneof(fc.string(), fc.constant(null))), (extra) => {
        const body = { ...extra, username: "alice", password: "pw" };
        const json = Buffer.from(JSON.stringify(body));
        expect(parse(body)).toEqual(
          parseJsonRequest({ url: "/x", contentType: "application/json", body: json, facts }),
        );
      }),
    );
  });
});

describe("query parameters", () => {
  test("mode=no-auth is a lookup, without a password", () => {
    expect(parse({ username: "alice" }, { url: "/x?mode=no-auth" })).toMatchObject({ operation: "lookup" });
  });

  test("in-memory=0 and cache=0", () => {
    expect(parse(minimal, { url: "/x?in-memory=0&cache=0" })).toMatchObject({ memoryCache: false, sharedCache: false });
  });
});

describe("400", () => {
  test.each([
    ["nothing", Buffer.alloc(0), "CBOR"],
    ["an array", encodeCbor([]), "map"],
    ["null", encodeCbor(null), "map"],
    ["JSON", Buffer.from(JSON.stringify(minimal)), "CBOR"],
    ["two maps", Buffer.concat([encodeCbor(minimal), encodeCbor(minimal)]), "after the item"],
    ["an indefinite length", Buffer.from("bf6161f6ff", "hex"), "indefinite"],
    ["a tag", Buffer.concat([Buffer.of(0xd9, 0xd9, 0xf7), encodeCbor(minimal)]), "tag"],
    ["a field twice", withField("username", "6161"), "twice"],
    [
      "a field twice in other encodings",
      Buffer.from("a268757365726e616d6561617808757365726e616d656161", "hex"),
      "twice",
    ],
    ["depth 33", withField("method", `${"81".repeat(32)}80`), "32"],
    ["4097 elements", withField("method", `991001${"00".repeat(4097)}`), "4096 array elements"],
    ["4097 pairs", withField("method", `b91001${"6000".repeat(4097)}`), "4096 map pairs"],
    ["a length of 2^64-1", withField("method", "7bffffffffffffffff"), "ends within an item"],
    ["bytes that are not UTF-8", withField("method", "61ff"), "UTF-8"],
    ["bytes for a string", withField("method", "4161"), "method"],
    ["a number for a string", { ...minimal, client_port: 25 }, "client_port"],
    ["a boolean for a string", { ...minimal, ssl: true }, "ssl"],
    ["no username", { password: "x" }, "username"],
    ["no password", { username: "alice" }, "password"],
    ["a username with a line break", { username: "al\r\nice", password: "x" }, "username"],
  ])("%s", (_what, body, word) => {
    expect(reasonOf(() => parse(body))).toContain(word);
  });

  test("an unknown field is named", () => {
    expect(reasonOf(() => parse({ ...minimal, service: "imap" }))).toBe("unknown field service");
    expect(reasonOf(() => parse({ ...minimal, Username: "a" }))).toBe("unknown field Username");
    expect(reasonOf(() => parse({ ...minimal, constructor: "a" }))).toBe("unknown field constructor");
  });

  test("an unknown field with an unusual or endless name is rejected without repeating it", () => {
    for (const name of ["x".repeat(65), "a\r\nb", "ä", ""]) {
      expect(reasonOf(() => parse({ ...minimal, [name]: "a" }))).toBe("unknown field");
    }
  });

  test("a body over 1 MiB", () => {
    expect(reasonOf(() => parse({ ...minimal, password: "x".repeat(1_048_576) }))).toBe("Request body too large");
  });

  test.each(["application/json", "text/plain", "", "application/cborx", "application/cbor-seq"])(
    "the media type %j",
    (contentType) => {
      expect(reasonOf(() => parse(minimal, { contentType }))).toBe("Unsupported media type");
    },
  );

  test.each(["application/cbor", "Application/CBOR", "application/cbor; x=y"])("but not %j", (contentType) => {
    expect(parse(minimal, { contentType }).username).toBe(minimal.username);
  });

  test("any bytes result in a request or a reason", () => {
    const seeds = readCborCorpus("requests").map(({ bytes }) => bytes);
    const bodies = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      wellFormedCbor.map(({ bytes }) => bytes),
      fc.tuple(fc.constantFrom(...seeds), fc.nat(), fc.nat(255)).map(([seed, at, byte]) => {
        const changed = Buffer.from(seed);
        changed[at % changed.length] = byte;
        return changed;
      }),
    );
    fc.assert(
      fc.property(bodies, (bytes) => {
        try {
          parse(Buffer.from(bytes));
        } catch (error) {
          expect(error instanceof AppError && error.row.kind).toBe("caller");
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("responses", () => {
  const names = wireNames("service");
  const renderer = cborEndpoint({ names, releasable: createAttributeFilter(["mailTotp"]) });
  const ok: AuthDecision = {
    outcome: "ok",
    account: "alice@example.test",
    accountField: "mail",
    totpSecretField: "",
    backend: 8,
    attributes: { uid: ["1", "2"], mail: ["alice@example.test"], userPassword: ["x"], mailTotp: ["x"] },
    memoryCache: "hit",
  };

  test("success is 200 with the success object as a map in deterministic encoding", () => {
    const { status, headers, body } = renderer.decision(ok, "7d3f");
    expect(status).toBe(200);
    expect(headers).toEqual([
      ["Auth-Status", "OK"],
      ["X-Service-Session", "7d3f"],
      ["Auth-User", "alice@example.test"],
      ["X-Service-Memory-Cache", "Hit"],
      ["Content-Type", "application/cbor"],
    ]);
    const attributes = `63${hex("uid")}8261316132 64${hex("mail")}81`;
    expect(hexOf(body)).toBe(
      [
        `a5 62${hex("ok")}f5`,
        `67${hex("backend")}08`,
        `6a${hex("attributes")}a2${attributes}72${hex("alice@example.test")}`,
        `6d${hex("account_field")}64${hex("mail")}`,
        `71${hex("totp_secret_field")}60`,
      ]
        .join("")
        .replaceAll(" ", ""),
    );
  });

  test("without attributes, the map is empty", () => {
    const map = decodeCbor(bytesOf(renderer.decision({ ...ok, attributes: {} }, "7d3f").body));
    expect(map instanceof Map && map.get("attributes")).toEqual(new Map());
  });

  test.each([
    ["a wrong password", { outcome: "fail", reason: "wrong_password", memoryCache: "miss" }],
    ["an unknown user", { outcome: "fail", reason: "unknown_user", memoryCache: "miss" }],
    ["a ban", { outcome: "blocked", rule: "r1", memoryCache: "miss" }],
  ] satisfies [string, AuthDecision][])("%s is 403, CBOR null and the rendered message", (_what, decision) => {
    const { status, headers, body } = renderer.decision(decision, "7d3f");
    expect([status, hexOf(body)]).toEqual([403, "f6"]);
    expect(headers).toEqual([
      ["Auth-Status", "Invalid login or password"],
      ["X-Service-Session", "7d3f"],
      ["X-Service-Memory-Cache", "Miss"],
      ["Content-Type", "application/cbor"],
    ]);
  });

  test("a policy's message is the rendered message, and Auth-Wait is the engine's", () => {
    const decision: AuthDecision = {
      outcome: "fail",
      reason: "policy",
      message: "Not from here",
      waitSeconds: 3,
      memoryCache: "miss",
    };
    const { headers } = renderer.decision(decision, "7d3f");
    expect(headers[0]).toEqual(["Auth-Status", "Not from here"]);
    expect(headers).toContainEqual(["Auth-Wait", "3"]);
  });

  test("a temporary failure is 500 with the map {error} and the message in Auth-Status", () => {
    const { status, headers, body } = renderer.decision(
      { outcome: "tempfail", code: "OVERLOADED", message: "Later" },
      "7d3f",
    );
    expect([status, decodeCbor(bytesOf(body))]).toEqual([500, new Map([["error", "Later"]])]);
    expect(headers).toEqual([
      ["Auth-Status", "Later"],
      ["X-Service-Session", "7d3f"],
      ["X-Service-Memory-Cache", "Miss"],
      ["Content-Type", "application/cbor"],
    ]);
  });

  test("400 is the map {error}, and not a denial", () => {
    const { status, headers, body } = renderer.malformed("unknown field x", "7d3f");
    expect([status, decodeCbor(bytesOf(body))]).toEqual([400, new Map([["error", "unknown field x"]])]);
    expect(headers).toEqual([
      ["X-Service-Session", "7d3f"],
      ["Content-Type", "application/cbor"],
    ]);
  });
});

function bytesOf(body: string): Buffer {
  return Buffer.from(body, "latin1");
}

function hexOf(body: string): string {
  return bytesOf(body).toString("hex");
}

function hex(text: string): string {
  return Buffer.from(text).toString("hex");
}
