import { createKeyRing, Secret } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { webauthnCredentialId } from "../backends/webauthn-credential.ts";
import { appPasswordDigest, makeAppPassword } from "./app-passwords.ts";
import {
  hashRecoveryCodes,
  matchRecoveryCode,
  openTotpSecret,
  readTotpSecret,
  sealTotpSecret,
} from "./stored-secrets.ts";

describe("app passwords", () => {
  it("are recognised by their format, whatever the case and separators", () => {
    const { password, digest } = makeAppPassword();
    expect(password).toMatch(/^app(-[a-z2-9]{6}){5}$/);
    for (const typed of [
      password,
      password.toUpperCase(),
      password.replaceAll("-", ""),
      ` ${password.replaceAll("-", " ")} `,
    ]) {
      expect(appPasswordDigest(typed)).toBe(digest);
    }
  });

  it("are not recognised if one character has changed", () => {
    const { password } = makeAppPassword();
    for (let at = 4; at < password.length; at += 1) {
      if (password[at] === "-") continue;
      const other = password[at] === "a" ? "b" : "a";
      const digest = appPasswordDigest(password.slice(0, at) + other + password.slice(at + 1));
      expect(digest).toBeUndefined();
    }
  });

  it("are never confused with a password that a user chose", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(appPasswordDigest(`app-${text}`)).toBeUndefined();
      }),
    );
  });
});

describe("recovery codes", () => {
  it("match their hash in any spelling, and an unhashed code of a provisioning system", async () => {
    const hashed = await hashRecoveryCodes(["ABCD-2345", "abcd2345", "EFGH-6789"]);
    expect(hashed).toHaveLength(2);
    expect(hashed.join()).not.toContain("ABCD");
    const stored = [...hashed, "wxyz-9999"];
    expect(await matchRecoveryCode("efgh 6789", stored)).toBe(hashed[1]);
    expect(await matchRecoveryCode("WXYZ9999", stored)).toBe("wxyz-9999");
    expect(await matchRecoveryCode("ABCD-2346", stored)).toBeUndefined();
    expect(await matchRecoveryCode("-", ["", "-"])).toBeUndefined();
    // The stored hash itself must not be accepted as a code.
    expect(await matchRecoveryCode(hashed[0] ?? "", stored)).toBeUndefined();
  });
});

describe("TOTP secrets", () => {
  const old = new Secret("an-old-secret-of-the-ring");
  const fresh = new Secret("a-new-secret-of-the-ring");

  it("are sealed, can be opened with a rotated key ring, and are used unchanged if stored unsealed", () => {
    const sealed = sealTotpSecret("JBSWY3DPEHPK3PXP", createKeyRing([old], "mfa-artefact"));
    expect(sealed).not.toContain("JBSWY");
    expect(openTotpSecret(sealed, createKeyRing([fresh, old], "mfa-artefact"))).toBe("JBSWY3DPEHPK3PXP");
    expect(openTotpSecret("JBSWY3DPEHPK3PXP", undefined)).toBe("JBSWY3DPEHPK3PXP");
  });

  it("that no key opens are an error: the account must not be treated as one without a second factor", () => {
    const sealed = sealTotpSecret("JBSWY3DPEHPK3PXP", createKeyRing([old], "mfa-artefact"));
    expect(() => openTotpSecret(sealed, createKeyRing([fresh], "mfa-artefact"))).toThrow(AppError);
    expect(() => openTotpSecret(sealed, undefined)).toThrow(AppError);
  });

  it.each([
    ["jbsw y3dp-ehpk 3pxp==", "JBSWY3DPEHPK3PXP"],
    [
      "otpauth://totp/X:alice?secret=JBSWY3DPEHPK3PXP&issuer=X",
      "otpauth://totp/X:alice?secret=JBSWY3DPEHPK3PXP&issuer=X",
    ],
    ["JBSWY3DP", undefined],
    ["not base32 at all 0189", undefined],
    ["otpauth://hotp/X?secret=JBSWY3DPEHPK3PXP", undefined],
    ["otpauth://totp/X", undefined],
  ])("%s is read as %s", (text, expected) => {
    expect(readTotpSecret(text)).toBe(expected);
  });
});

it("a credential's id is the same in both spellings of base64", () => {
  expect(webauthnCredentialId('{"id":"a+b/cw=="}')).toBe(webauthnCredentialId('{"id":"a-b_cw"}'));
  expect(webauthnCredentialId("{}")).toBe("");
  for (const text of ["[]", '"x"', "null", "{", "1"]) expect(webauthnCredentialId(text)).toBeUndefined();
});
