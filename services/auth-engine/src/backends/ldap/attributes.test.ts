import { describe, expect, it } from "vitest";
import { attributesToRequest, binaryAttributes, toBackendAccount, uniqueUserId } from "./attributes.ts";

const mapping = {
  accountField: "uid",
  uniqueUserIdField: "",
  displayNameField: "",
  totpSecretField: "totp",
  attributes: ["MAIL", "dn", "photo", "absent"],
};

describe("an LDAP entry", () => {
  it("is requested with the attributes that are used, or with none if only its DN is used", () => {
    expect(attributesToRequest(mapping)).toEqual(["uid", "MAIL", "photo", "absent"]);
    expect(attributesToRequest({ ...mapping, accountField: "dn", attributes: ["dn"] })).toEqual(["1.1"]);
  });

  it("becomes an account with the first account name and the configured attributes in the configured spelling", () => {
    const entry = {
      dn: "uid=a,dc=x",
      UID: ["a", "alias"],
      mail: "a@x",
      photo: Buffer.from([255]),
      userPassword: "hidden",
      MAIL: [],
      absent: [],
    };
    expect(toBackendAccount(entry, mapping)).toEqual({
      account: "a",
      accountField: "uid",
      totpSecretField: "totp",
      attributes: { MAIL: ["a@x"], dn: ["uid=a,dc=x"] },
    });
  });

  it("without an account name is an error, not a denial", () => {
    for (const uid of [[], "", Buffer.from("a")]) {
      expect(() => toBackendAccount({ dn: "cn=a", uid }, mapping)).toThrow(/DIRECTORY_DATA/);
    }
  });
});

describe("the unique user identifier", () => {
  const identified = { ...mapping, uniqueUserIdField: "entryUUID" };

  it("is requested and returned, but not released as an attribute", () => {
    expect(attributesToRequest(identified)).toContain("entryUUID");
    const entry = { dn: "cn=a", uid: "a", entryuuid: "6f1c" };
    expect(toBackendAccount(entry, identified)).toMatchObject({ uniqueUserId: "6f1c", attributes: { dn: ["cn=a"] } });
  });

  it("is empty if the entry has no value, several values, or bytes that are not text", () => {
    const ids = [undefined, [], ["a", "b"], "\uFFFDx"].map((entryUUID) =>
      uniqueUserId({ dn: "cn=a", ...(entryUUID === undefined ? {} : { entryUUID }) }, "entryUUID"),
    );
    expect(ids).toEqual(["", "", "", ""]);
  });

  it("is hexadecimal if the server stores it as bytes, whatever the case of its name", () => {
    expect(binaryAttributes({ uniqueUserIdField: "objectguid" })).toEqual(["objectGUID"]);
    expect(binaryAttributes({ uniqueUserIdField: "entryUUID" })).toEqual([]);
    expect(uniqueUserId({ dn: "cn=a", objectGUID: Buffer.from([0xff, 0x01]) }, "objectguid")).toBe("ff01");
  });
});
