import fc from "fast-check";
import { expect, test } from "vitest";
import { parseStoredPassword } from "../../domain/passwords/parse-stored-password.ts";
import { isPasswordHash } from "./password-hash.ts";

const letters = (count: number) => "A".repeat(count);
const base64Of = (bytes: number) => Buffer.alloc(bytes, 7).toString("base64");

const prefixes =
  " {ARGON2} {argon2id} {ARGON2I} {BLF-CRYPT} {CRYPT} {MD5-CRYPT} {PBKDF2} {SHA256-CRYPT} {SHA512-CRYPT} {SSHA} {ssha256.b64} {SSHA512.HEX} {PLAIN} {MD5} !".split(
    " ",
  );
const bodies = [
  ...["m=19456,t=2,p=1", "m=8,t=1,p=1", "m=7,t=1,p=1", "m=1048577,t=1,p=1", "m=1048576,t=4,p=1", "m=1048576,t=5,p=1"]
    .flatMap((cost) => ["argon2id$v=19", "argon2i$v=16", "argon2d$v=19", "argon2id$v=20"].map((kind) => [kind, cost]))
    .map(([kind, cost]) => `$${kind}$${cost}$${letters(22)}$${letters(43)}`),
  ...["03", "04", "12", "16", "17"]
    .flatMap((cost) => ["2a", "2b", "2y", "2x"].map((kind) => `$${kind}$${cost}$`))
    .map((begin) => `${begin}${letters(21)}u${letters(30)}i`),
  ...["$5$salt$", "$6$salt$", "$6$rounds=999$salt$", "$5$rounds=1000001$salt$", "$1$salt$", "$apr1$salt$"].flatMap(
    (begin) => [22, 43, 86].map((length) => begin + letters(length)),
  ),
  ...["$pbkdf2$1000", "$pbkdf2-sha256$0", "$pbkdf2-sha512$5000001", "$pbkdf2-sha512$1000"].flatMap((begin) =>
    [27, 43, 86].map((length) => `${begin}$salt$${letters(length)}`),
  ),
  ...["$1$salt$5000$", "$1$salt$0$"].map((begin) => begin + "a1".repeat(20)),
  ...[20, 21, 32, 33, 64, 65].flatMap((bytes) => [base64Of(bytes), "ab".repeat(bytes)]),
  ...",*,x,secret,abJnggxhB/yWI".split(","),
];

/** The configuration, which people write today, accepts no scheme that is verified only for the sake of old tables. */
function isAccepted(text: string): boolean {
  const stored = parseStoredPassword(text);
  if (stored === undefined || ["crypt", "cram-md5", "scram"].includes(stored.scheme)) return false;
  if (stored.scheme === "digest") return stored.salt.length > 0 && stored.algorithm !== "md5";
  return !/^\{MD5\}/iu.test(text);
}

test("the configuration accepts exactly the hashes that can be verified, but for old schemes", () => {
  const judged = prefixes.flatMap((prefix) => bodies.map((body) => prefix + body));
  const verifiable = judged.filter(isAccepted);
  expect(judged.filter(isPasswordHash)).toEqual(verifiable);
  expect(verifiable.length).toBeGreaterThan(40);
});

test("the two agree on damaged texts too", () => {
  const damaged = fc
    .tuple(fc.constantFrom(...prefixes), fc.constantFrom(...bodies), fc.nat({ max: 60 }), fc.string({ maxLength: 2 }))
    .map(([prefix, body, at, text]) => prefix + body.slice(0, at) + text + body.slice(at + 1));
  fc.assert(
    fc.property(damaged, (text) => {
      expect(isPasswordHash(text)).toBe(isAccepted(text));
    }),
    { numRuns: 3000 },
  );
});
