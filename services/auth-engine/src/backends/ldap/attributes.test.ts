import { describe, expect, it } from "vitest";
import { attributesToRequest, binaryAttributes, toBackendAccount, uniqueUserId } from "./attributes.ts";

const mapping = {
  accountField: "uid",
  uniqueUserIdField: "",
  totpSecretField: "totp",
  attributes: ["MAIL", "dn", "photo", "absent"],
};

describe("an entry", () => {
  it("is asked for what is used, and for no attributes when only its name is", () => {
    expect(attributesToRequest(mapping)).toEqual(["uid", "MAIL", "photo", "absent"]);
    expect(
      attributesToRequest({ accountField: "dn", uniqueUserIdField: "", totpSecretField: "", attributes: ["dn"] }),
    ).toEqual(["1.1"]);
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
    expect(toBackendAccount(entry, mapping)).toEqual({
      account: "a",
      accountField: "uid",
      totpSecretField: "totp",
      attributes: { MAIL: ["a@x"], dn: ["uid=a,dc=x"] },
    });
  });

  it("is undecidable without an account name", () => {
    for (const uid of [[], "", Buffer.from("a")]) {
      expect(() => toBackendAccount({ dn: "cn=a", uid }, mapping)).toThrow(/DIRECTORY_DATA/);
    }
  });
});

describe("the identifier that outlives renames", () => {
  const identified = { ...mapping, uniqueUserIdField: "entryUUID" };

  it("is asked for and told, and not released as an attribute", () => {
    expect(attributesToRequest(identified)).toContain("entryUUID");
    const entry = { dn: "cn=a", uid: "a", entryuuid: "6f1c" };
    expect(toBackendAccount(entry, identified)).toMatchObject({ uniqueUserId: "6f1c", attributes: { dn: ["cn=a"] } });
  });

  it("is empty for an entry with none, with several, or with bytes that are not text", () => {
    const ids = [undefined, [], ["a", "b"], "\uFFFDx"].map((entryUUID) =>
      uniqueUserId({ dn: "cn=a", ...(entryUUID === undefined ? {} : { entryUUID }) }, "entryUUID"),
    );
    expect(ids).toEqual(["", "", "", ""]);
  });

  it("is hexadecimal where directories keep it as bytes, whatever the spelling of its name", () => {
    expect(binaryAttributes({ uniqueUserIdField: "objectguid" })).toEqual(["objectGUID"]);
    expect(binaryAttributes({ uniqueUserIdField: "entryUUID" })).toEqual([]);
    expect(uniqueUserId({ dn: "cn=a", objectGUID: Buffer.from([0xff, 0x01]) }, "objectguid")).toBe("ff01");
  });
});
