import { hash, verify } from "@node-rs/bcrypt";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseStoredPassword } from "./parse-stored-password.ts";

const prefixes = [
  "",
  "{",
  "{}",
  "{SSHA}",
  "{SSHA512.HEX}",
  "{CRYPT}",
  "{ARGON2}",
  "{BLF-CRYPT}",
  "$6$",
  "$argon2id$v=19$",
];
const scrambled = fc
  .tuple(fc.constantFrom(...prefixes), fc.string({ unit: "binary", maxLength: 2000 }))
  .map(([prefix, rest]) => prefix + rest);

const letter = (letters: string): fc.Arbitrary<string> => fc.constantFrom(...letters.split(""));
const base64 = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

describe("parseStoredPassword", () => {
  it("parses any text without throwing", () => {
    fc.assert(
      fc.property(scrambled, (text) => {
        const parsed = parseStoredPassword(text);
        expect(parsed === undefined || typeof parsed.scheme === "string").toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it("parses every salted digest, in both encodings and any case of the prefix", () => {
    const sizes = { SSHA: 20, SSHA256: 32, SSHA512: 64 };
    fc.assert(
      fc.property(
        fc.constantFrom("SSHA", "SSHA256", "SSHA512"),
        fc.constantFrom("", ".b64", ".B64", ".hex", ".HEX"),
        fc.uint8Array({ minLength: 65, maxLength: 100 }),
        (name, suffix, bytes) => {
          const encoded = Buffer.from(bytes).toString(suffix.toLowerCase() === ".hex" ? "hex" : "base64");
          const parsed = parseStoredPassword(`{${name.toLowerCase()}${suffix}}${encoded}`);
          expect(parsed).toMatchObject({
            scheme: "digest",
            digest: Buffer.from(bytes.slice(0, sizes[name])),
            salt: Buffer.from(bytes.slice(sizes[name])),
          });
        },
      ),
    );
  });

  it("accepts SHA-crypt's rounds between its minimum and our limit, and none above", () => {
    fc.assert(
      fc.property(fc.nat({ max: 999_999_999 }), fc.stringMatching(/^[./0-9A-Za-z]{0,16}$/), (rounds, salt) => {
        const parsed = parseStoredPassword(`$5$rounds=${rounds}$${salt}$${"a".repeat(43)}`);
        expect(parsed === undefined).toBe(rounds > 1_000_000);
        const expected = { algorithm: "sha256", rounds: Math.max(rounds, 1000), salt };
        expect(parsed ?? expected).toMatchObject(expected);
      }),
    );
  });

  it("accepts bcrypt in the verifier's own form only: any other text would be a wrong password, not an unverifiable one", async () => {
    await fc.assert(
      fc.asyncProperty(letter("aby"), letter(base64), letter(base64), async (version, ofSalt, ofDigest) => {
        const hashed = await hash("secret", 4, Buffer.alloc(16, base64.indexOf(ofSalt)));
        const changed = `$2${version}${hashed.slice(3, 28)}${ofSalt}${hashed.slice(29, -1)}${ofDigest}`;
        const isTheSame = ofSalt === hashed[28] && ofDigest === hashed.at(-1);
        expect(await verify("secret", changed)).toBe(isTheSame);
        const unusedBits = [base64.indexOf(ofSalt) % 16, base64.indexOf(ofDigest) % 4];
        expect(parseStoredPassword(changed) !== undefined).toBe(unusedBits.every((bits) => bits === 0));
      }),
      { numRuns: 300 },
    );
  });

  it("never accepts Argon2 parameters above its limits", () => {
    const parameter = fc.oneof(
      fc.nat({ max: 4_294_967_295 }),
      fc.nat({ max: 64 }),
      fc.constantFrom(1_048_576, 1_048_577),
    );
    fc.assert(
      fc.property(parameter, parameter, fc.nat({ max: 999 }), (memory, passes, lanes) => {
        const parsed = parseStoredPassword(
          `$argon2id$v=19$m=${memory},t=${passes},p=${lanes}$${"A".repeat(22)}$${"A".repeat(43)}`,
        );
        const isAffordable = memory <= 1_048_576 && passes <= 32 && memory * passes <= 4_194_304;
        const isPossible = lanes >= 1 && lanes <= 255 && passes >= 1 && memory >= 8 * lanes;
        expect(parsed !== undefined).toBe(isAffordable && isPossible);
      }),
      { numRuns: 1000 },
    );
  });
});
