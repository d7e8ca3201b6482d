import { describe, expect, it } from "vitest";
import { attributesToRequest, toDirectoryAccount } from "./attributes.ts";

const mapping = { accountField: "uid", totpSecretField: "totp", attributes: ["MAIL", "dn", "photo", "absent"] };

describe("an entry", () => {
  it("is asked for what is used, and for no attributes when only its name is", () => {
    expect(attributesToRequest(mapping)).toEqual(["uid", "MAIL", "photo", "absent"]);
    expect(attributesToRequest({ accountField: "dn", totpSecretField: "", attributes: ["dn"] })).toEqual(["1.1"]);
  });

  it("gives the first account name and the configured attributes in the configured spelling", () => {
    const entry = {
      dn: "uid=a,dc=x",
      UID: ["a", "alias"],
      mail: "a@x",
      photo: Buffer.from([255]),
      userPassword: "hidden",
      MAIL: [],
      absent: [],
    };
    expect(toDirectoryAccount(entry, mapping)).toEqual({
      account: "a",
      accountField: "uid",
      totpSecretField: "totp",
      attributes: { MAIL: ["a@x"], dn: ["uid=a,dc=x"] },
    });
  });

  it("is undecidable without an account name", () => {
    for (const uid of [[], "", Buffer.from("a")]) {
      expect(() => toDirectoryAccount({ dn: "cn=a", uid }, mapping)).toThrow(/DIRECTORY_DATA/);
    }
  });
});
