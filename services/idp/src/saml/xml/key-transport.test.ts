import { constants, generateKeyPairSync, privateDecrypt, randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { commonTransport, hashesOf, oaep11, oaepMgf1p, wrappedKey } from "./key-transport.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const sha256 = "http://www.w3.org/2001/04/xmlenc#sha256";

describe("our RSA-OAEP encryption", () => {
  it.each(["sha1", "sha256", "sha384", "sha512"] as const)(
    "is decrypted by OpenSSL, with %s for digest and mask",
    (digest) => {
      for (const length of [16, 24, 32]) {
        const key = randomBytes(length);
        const wrapped = wrappedKey(key, publicKey, [digest, digest]);
        const padding = constants.RSA_PKCS1_OAEP_PADDING;
        expect(privateDecrypt({ key: privateKey, padding, oaepHash: digest }, wrapped)).toEqual(key);
      }
    },
  );

  it("never produces the same ciphertext twice, and rejects a key that is too short for the digest", () => {
    const key = randomBytes(32);
    expect(wrappedKey(key, publicKey, ["sha1", "sha1"])).not.toEqual(wrappedKey(key, publicKey, ["sha1", "sha1"]));
    const short = generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey;
    expect(() => wrappedKey(key, short, ["sha512", "sha512"])).toThrow(RangeError);
  });

  it("uses SHA-1 for the mask with the older URI, and the named mask with the newer one", () => {
    const mask = "http://www.w3.org/2009/xmlenc11#mgf1sha256";
    expect(hashesOf(commonTransport)).toEqual(["sha1", "sha1"]);
    expect(hashesOf({ algorithm: oaepMgf1p, digest: sha256, mask })).toEqual(["sha256", "sha1"]);
    expect(hashesOf({ algorithm: oaep11, digest: sha256, mask })).toEqual(["sha256", "sha256"]);
    expect(hashesOf({ algorithm: oaep11, digest: sha256, mask: undefined })).toEqual(["sha256", "sha1"]);
    expect(hashesOf({ algorithm: "http://www.w3.org/2001/04/xmlenc#rsa-1_5", digest: sha256, mask })).toBeUndefined();
    expect(hashesOf({ algorithm: oaep11, digest: "urn:none", mask })).toBeUndefined();
  });
});
