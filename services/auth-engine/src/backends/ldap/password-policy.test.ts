import { AppError } from "@postern/shared/platform/errors";
import fc from "fast-check";
import { BerReader, BerWriter } from "ldapts";
import { describe, expect, it, test } from "vitest";
import { createPolicyControls, readPasswordPolicy } from "./password-policy.ts";

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(" ", ""), "hex");

describe("the password policy control", () => {
  it.each([
    ["without a value", "", {}],
    ["without members", "3000", {}],
    ["of a password that must be changed", "3003 810102", { error: 2 }],
    ["of a password that expires", "3006 A004 8002 0E10", { expiresInSeconds: 3600 }],
    ["with grace logins", "3005 A003 810103", { graceLoginsLeft: 3 }],
    ["with both", "3008 A003 810100 810100", { graceLoginsLeft: 0, error: 0 }],
    ["with a length of several bytes", "308103 810102", { error: 2 }],
    ["with an unknown member", "3006 8201FF 810102", { error: 2 }],
  ])("%s", (_what, hex, expected) => {
    expect(readPasswordPolicy(bytes(hex))).toEqual(expected);
  });

  it.each([
    ["that ends early", "3003 8101"],
    ["with bytes after its end", "3000 00"],
    ["of another type", "0403 810102"],
    ["with an error without a value", "3002 8100"],
    ["with a negative number", "3003 8101FF"],
    ["with a number of more than 31 bits", "3007 8105 0100000000"],
    ["with two warnings in one", "3008 A006 810101 810101"],
    ["with an empty warning", "3002 A000"],
    ["with an indefinite length", "3080 810102 0000"],
  ])("%s cannot be read", (_what, hex) => {
    expect(() => readPasswordPolicy(bytes(hex))).toThrow(AppError);
  });

  it("is read as it was written, and cut short at any place it is an error or empty", () => {
    const number = fc.integer({ min: 0, max: 0x7fffffff });
    fc.assert(
      fc.property(number, fc.integer({ min: 0, max: 8 }), fc.boolean(), (value, error, isGrace) => {
        const writer = new BerWriter();
        writer.startSequence();
        writer.startSequence(0xa0);
        writer.writeInt(value, isGrace ? 0x81 : 0x80);
        writer.endSequence();
        writer.writeEnumeration(error, 0x81);
        writer.endSequence();
        const whole = Buffer.from(writer.buffer);
        const warning = isGrace ? { graceLoginsLeft: value } : { expiresInSeconds: value };
        expect(readPasswordPolicy(whole)).toEqual({ ...warning, error });
        for (let length = 1; length < whole.length; length += 1)
          expect(() => readPasswordPolicy(whole.subarray(0, length))).toThrow(AppError);
      }),
    );
  });

  it("that is anything at all is an answer or an error of the directory's data", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (value) => {
        try {
          readPasswordPolicy(Buffer.from(value));
        } catch (error) {
          expect(error).toMatchObject({ code: "DIRECTORY_DATA" });
        }
      }),
    );
  });
});

test("Netscape's controls are not requested, and are read if a server sends them", () => {
  const answers = createPolicyControls();
  const [policy, expired, expiring] = answers.controls;
  const written = new BerWriter();
  for (const control of answers.controls) control.write(written);
  expect(written.buffer.toString("latin1")).toContain("1.3.6.1.4.1.42.2.27.8.5.1");
  expect(written.buffer.toString("latin1")).not.toContain("2.16.840");
  expect(answers.policy()).toEqual({ expiresInSeconds: undefined, isAnswered: false, isExpired: false });
  expired?.parse(new BerReader(Buffer.from("0")));
  expiring?.parse(new BerReader(Buffer.from("86400")));
  expect(answers.policy()).toEqual({ expiresInSeconds: 86_400, isAnswered: false, isExpired: true });
  policy?.parse(new BerReader(bytes("3005A003810103")));
  expect(answers.policy()).toMatchObject({ graceLoginsLeft: 3, isAnswered: true });
  expiring?.parse(new BerReader(Buffer.from("soon")));
  expect(() => answers.policy()).toThrow(AppError);
});
