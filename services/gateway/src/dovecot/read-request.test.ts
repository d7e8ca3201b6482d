import { AuthPolicyLogin, AuthPolicyResult } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import fc from "fast-check";
import { Check } from "typebox/value";
import { describe, expect, test } from "vitest";
import { readJsonObject } from "../dialects/json.ts";
import { unknownMembers } from "./members.ts";
import { readPolicyLogin, readPolicyReport, readPolicyReset } from "./read-request.ts";

const unreadable: string[] = [];
const facts = {
  session: "s",
  callerIp: "203.0.113.1",
  reportUnreadable: (value: string) => void unreadable.push(value),
};

/** As Dovecot 2.3.19 sends it. */
const sent = {
  device_id: "",
  login: "alice",
  protocol: "imap",
  pwhash: "05c4",
  remote: "192.0.2.7",
  session_id: "t4Hl2Otg0Id/AAAB",
  tls: false,
};

const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

describe("a sign-in", () => {
  test("of Dovecot is read", () => {
    expect(readPolicyLogin(readJsonObject(bytes(sent)), facts)).toEqual({
      session: "s",
      username: "alice",
      protocol: "imap",
      clientIp: "192.0.2.7",
      externalSessionId: "t4Hl2Otg0Id/AAAB",
      tls: false,
    });
  });

  test("with device, mechanism and attributes is read", () => {
    const more = { ...sent, device_id: '"name" "iPhone"', mech: "CRAM-MD5", attrs: { geo: "DE", tags: ["a", "b", 1] } };
    expect(readPolicyLogin(more, facts)).toMatchObject({
      clientId: '"name" "iPhone"',
      mechanism: "cram-md5",
      attributes: { geo: ["DE"], tags: ["a", "b"] },
    });
  });

  test.each([
    [{ remote: "" }, "203.0.113.1", true],
    [{ remote: undefined }, "203.0.113.1", true],
    [{ remote: "[2001:db8::1]:143" }, "2001:db8::1", undefined],
  ])("with %j comes from %s", (remote, clientIp, clientIpIsPeer) => {
    const read = readPolicyLogin({ ...sent, ...remote }, facts);
    expect(read.clientIp).toBe(clientIp);
    expect(read.clientIpIsPeer).toBe(clientIpIsPeer);
  });

  test("with an unreadable address has none, and the address is reported", () => {
    expect(readPolicyLogin({ ...sent, remote: "mail.example" }, facts)).toMatchObject({ clientIpIsPeer: true });
    expect(unreadable).toEqual(["mail.example"]);
  });

  test("with a name that no account can have is counted under its digest", () => {
    const { username } = readPolicyLogin({ ...sent, login: "x".repeat(100_000) }, facts);
    expect(username).toMatch(/^sha256:[0-9a-f]{64}$/u);
  });

  test.each([
    [[], "the body must be a JSON object"],
    [{}, "login is required"],
    [{ login: 5 }, "login must be a string"],
    [{ login: "a", attrs: [] }, "attrs must be an object"],
    [{ login: "a", tls: "yes" }, "tls must be true or false"],
  ])("%j is malformed", (body, reason) => {
    expect(() => readPolicyLogin(readJsonObject(bytes(body)), facts)).toThrow(
      expect.objectContaining({ publicMessage: reason }),
    );
  });

  test("lists the members that have no effect", () => {
    expect(unknownMembers({ ...sent, ja3: "x", tls: true })).toEqual(["ja3"]);
  });
});

describe("a report", () => {
  test.each([
    [{ success: true }, "success"],
    [{ success: false }, "wrong_password"],
    [{ success: false, policy_reject: false, fail_type: "" }, "wrong_password"],
    [{ success: false, fail_type: "credentials" }, "wrong_password"],
    [{ success: false, fail_type: "disabled" }, "wrong_password"],
    [{ success: false, fail_type: "account" }, "unknown_user"],
  ])("with %j is a %s", (members, result) => {
    expect(readPolicyReport({ ...sent, ...members }, facts)).toMatchObject({ login: { result, passwordHash: "05c4" } });
  });

  test.each([
    [{ policy_reject: true }, "policy"],
    [{ fail_type: "policy" }, "policy"],
    [{ fail_type: "internal" }, "internal"],
    [{ fail_type: "expired" }, "expired"],
  ])("of a failure with %j is not counted", (members, ignored) => {
    expect(readPolicyReport({ ...sent, success: false, ...members }, facts)).toMatchObject({ ignored });
  });

  test("without success is malformed", () => {
    expect(() => readPolicyReport(sent, facts)).toThrow(
      expect.objectContaining({ publicMessage: "success is required" }),
    );
  });
});

describe("a reset", () => {
  test.each([
    [{ ip: "192.0.2.7" }, { address: "192.0.2.7" }],
    [{ login: " alice " }, { username: "alice" }],
    [
      { ip: "2001:DB8::1", login: "alice" },
      { address: "2001:db8::1", username: "alice" },
    ],
  ])("%j is read", (members, expected) => {
    expect(readPolicyReset(members, "s")).toEqual({ session: "s", ...expected });
  });

  test.each([[{}], [{ ip: "", login: " " }], [{ ip: "everything" }], [{ ip: "0.0.0.0/0" }]])(
    "%j is malformed",
    (members) => {
      expect(() => readPolicyReset(members, "s")).toThrow(AppError);
    },
  );
});

function isCallerFault(thrown: unknown): boolean {
  return thrown instanceof AppError && thrown.row.kind === "caller";
}

test("any body is read as a valid message for the bus, or is malformed", () => {
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.string(), fc.constant("192.0.2.1"));
  const value = fc.oneof(text, fc.boolean(), fc.jsonValue());
  const members = fc.record(
    {
      login: fc.oneof({ weight: 5, arbitrary: text }, value),
      remote: value,
      pwhash: value,
      protocol: value,
      device_id: value,
      session_id: value,
      mech: value,
      tls: value,
      success: fc.oneof({ weight: 5, arbitrary: fc.boolean() }, value),
      policy_reject: value,
      fail_type: value,
      attrs: fc.oneof(fc.dictionary(fc.string(), fc.oneof(text, fc.array(text))), value),
    },
    { requiredKeys: ["login"] },
  );
  fc.assert(
    fc.property(members, (body) => {
      try {
        const read = readJsonObject(Buffer.from(JSON.stringify(body)));
        const { login, ignored } = readPolicyReport(read, facts);
        expect(Check(ignored === undefined ? AuthPolicyResult : AuthPolicyLogin, login)).toBe(true);
        expect(JSON.stringify(login).isWellFormed()).toBe(true);
        expect(login.username.length).toBeLessThanOrEqual(512);
      } catch (thrown) {
        if (!isCallerFault(thrown)) throw thrown;
      }
    }),
    { numRuns: 150 },
  );
});

test("any bytes are an object or malformed", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (body) => {
      try {
        expect(readJsonObject(Buffer.from(body))).toBeTypeOf("object");
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(AppError);
      }
    }),
  );
});
