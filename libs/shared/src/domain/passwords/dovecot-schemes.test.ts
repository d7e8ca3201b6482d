import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { Secret } from "../../platform/crypto/secret.ts";
import { md4 } from "./digest.ts";
import { parseStoredPassword } from "./parse-stored-password.ts";
import { createPasswordVerifier } from "./verifier.ts";

const verifier = createPasswordVerifier({ concurrency: 2, maxQueued: 100 });
afterAll(() => verifier.close());

const context = () => ({ deadline: Date.now() + 120_000, signal: new AbortController().signal });
const verify = (stored: string, password: string) => verifier.verify(stored, new Secret(password), context());

/** Number of verifications that `run` starts. */
async function started(run: () => Promise<unknown>): Promise<number> {
  const before = verifier.load().startedTotal;
  await run();
  return verifier.load().startedTotal - before;
}

const digest = (text: string) => md4(Buffer.from(text)).toString("hex");

const password = "ein schönes Passwort";

/** From `doveadm pw`, and from crypt(3) of Debian 12. */
const stored = [
  "{SHA}Ol5U2McCn+cBbPvVW4bvsq9W3QQ=",
  "{SHA1}Ol5U2McCn+cBbPvVW4bvsq9W3QQ=",
  "{SHA256}JQSXa8cByQOcz+ezs2PE+nIu9Z2KHYV5wbWvRDlG5HI=",
  "{SHA256.HEX}2504976bc701c9039ccfe7b3b363c4fa722ef59d8a1d8579c1b5af443946e472",
  "{SHA256}2504976bc701c9039ccfe7b3b363c4fa722ef59d8a1d8579c1b5af443946e472",
  "{SHA512}20zZFuhTimOQAs28deLNaK0lBXNAmyRzVAeOLRjSG/DzgqV/Up+jTxXLvnGlmwAqgV8aUkiMvv6WMSxw9c8qsA==",
  "{SMD5}smqU/+nNlBzosDvydgc0fsxY/r0=",
  "{SMD5.HEX}3c06ee1d2a45e8be915f78220d03fb6fe42f7e3a",
  "{MD5}$1$ou9/Yqfr$xHAkBx2QS9rfSC9L4t0bu1",
  "{MD5}7b367cdb4c679e7a02bbd85dd382bdb9",
  "{LDAP-MD5}ezZ820xnnnoCu9hd04K9uQ==",
  "{PLAIN-MD5}7b367cdb4c679e7a02bbd85dd382bdb9",
  "{PLAIN-MD5.B64}ezZ820xnnnoCu9hd04K9uQ==",
  "{PLAIN-MD4}f08223ae425b0799248a4202f0d66ecf",
  "{CRAM-MD5}19319a52beee3508c890598f37b3ff317212ac115fff7dabf5b1fe728a90aa9d",
  "{HMAC-MD5}19319a52beee3508c890598f37b3ff317212ac115fff7dabf5b1fe728a90aa9d",
  "{SCRAM-SHA-1}4096,MzbPk4TM3hi/3BK9DGB+kA==,cKunuHDECDUHVjujxZLB0kJDHDk=,TQbTjR8LQKin6YCh/Ip5iU/IoAs=",
  "{SCRAM-SHA-256}4096,WiMu7I+cLOO/kQCK5khJew==,cVQ10mKTbFz1Q6VyVCkVbHuQfhrCZp5ygzJSSpnNTPk=,aFhmJVImV/soxe0m24KWVabb3wK2lbW0Q1O0nvDB9jU=",
  "$y$j9T$IZUrEbc9oo0gZKGCTQCOB/$s5W/EAglmPoD/dhT.Z9Ug6TuWhgtm0LcxNe4fjjnOk0",
  "{CRYPT}$y$j75$IZUrEbc9oo0gZKGCTQCOB/$XpCLr2xHx/X0gQWYEWK3/GVGYuN5RqOrFRa7KEOcI0A",
  "$gy$j9T$IZUrEbc9oo0gZKGCTQCOB/$ZyH25B/VGAXw1oxQ2xvj4u5qkGI6o.D/IkVyejeT9Y6",
  "$7$CU..../....abcdefghijklmno$i16UY/525YnE6.yIIWswcHEmglZ8GNpW5OyeHQkME41",
  "$sha1$1000$abcdefgh$6cXLVB4As5g1kRYghmKLYO1uSVSv",
  "$md5,rounds=100$GUBv0xjJ$$HyQ6h2YPon2FiCzFMvG/60",
  "$3$$e77ac6052858fd64f27da9bc1fdace40",
  "{NTLM}E77AC6052858FD64F27DA9BC1FDACE40",
  "{CRYPT}_J9..rasmIeoEhGMuERA",
];

it.each(stored)("%s matches its password and no other", async (text) => {
  expect(await verify(text, password)).toBe(true);
  expect(await verify(text, `${password}x`)).toBe(false);
  expect(await verify(text, "")).toBe(false);
  expect(await verify(text, `${password}\0tail`)).toBe(false);
});

it.each(["{DES-CRYPT}RXtG2z3duLNb2", "{CRYPT}abdNGJcmmMAcQ"])(
  "%s is compared as DES does it, by eight characters",
  async (text) => {
    expect(await verify(text, password)).toBe(true);
    expect(await verify(text, "ein SCHÖN")).toBe(false);
  },
);

describe("a password in decomposed form", () => {
  it.each(stored)("matches %s, which is of the composed form", async (text) => {
    expect(await verify(text, password.normalize("NFD"))).toBe(true);
  });

  it("is compared as sent first, because some hashes are of that form", async () => {
    const sent = password.normalize("NFD");
    const text = `{SHA256}${createHash("sha256").update(sent).digest("base64")}`;
    expect(await verify(text, sent)).toBe(true);
    expect(await verify(text, password)).toBe(false);
  });

  it("is stored in composed form when its hash is upgraded", async () => {
    const old = parseStoredPassword(stored[0] ?? "");
    if (old === undefined) throw new TypeError("no stored password");
    const better = await verifier.upgrade(old, new Secret(password.normalize("NFD")), context());
    expect(await verify(better ?? "", password)).toBe(true);
  });

  it("costs as much for an unknown name: two verifications, and one where both forms are the same", async () => {
    const decoy = parseStoredPassword("$1$abcdefgh$y6iHhJNbuC0xpbk0w9pm80");
    if (decoy === undefined) throw new TypeError("no decoy");
    const guess = new Secret("ö".normalize("NFD"));
    expect(await started(() => verifier.spend(decoy, guess, context()))).toBe(2);
    expect(await started(() => verifier.verify(decoy, guess, context()))).toBe(2);
    expect(await started(() => verifier.spend(decoy, new Secret("o"), context()))).toBe(1);
  });
});

it.each([
  // 2^18 blocks of 4 KiB: a gibibyte.
  "$y$jFT$IZUrEbc9oo0gZKGCTQCOB/$s5W/EAglmPoD/dhT.Z9Ug6TuWhgtm0LcxNe4fjjnOk0",
  "$7$KU..../....abcdefghijklmno$i16UY/525YnE6.yIIWswcHEmglZ8GNpW5OyeHQkME41",
  "$7$CU....0....abcdefghijklmno$i16UY/525YnE6.yIIWswcHEmglZ8GNpW5OyeHQkME41",
  "$sha1$9999999$abcdefgh$6cXLVB4As5g1kRYghmKLYO1uSVSv",
  "$md5,rounds=999999$GUBv0xjJ$$HyQ6h2YPon2FiCzFMvG/60",
  "{CRYPT}_zzzzrasmIeoEhGMuERA",
  "{SCRAM-SHA-1}9999999,MzbPk4TM3hi/3BK9DGB+kA==,cKunuHDECDUHVjujxZLB0kJDHDk=,TQbTjR8LQKin6YCh/Ip5iU/IoAs=",
  "{SHA}tooshort",
  "{CRAM-MD5}19319a52",
  // Thirteen letters without a prefix may be anything.
  "administrator",
  "{PLAIN}secret",
  "{DIGEST-MD5}7b367cdb4c679e7a02bbd85dd382bdb9",
])("%s is not verified", (text) => {
  expect(parseStoredPassword(text)).toBeUndefined();
});

it("MD4 has the digests of RFC 1320", () => {
  expect(digest("")).toBe("31d6cfe0d16ae931b73c59d7e0c089c0");
  expect(digest("abc")).toBe("a448017aaf21d8525fc10ae87aa6729d");
  const long = "12345678901234567890123456789012345678901234567890123456789012345678901234567890";
  expect(digest(long)).toBe("e33b4ddc9c38f2199c3e7b164fcc0536");
});

it("CRAM-MD5: a key of more than a block is its digest, as in HMAC", async () => {
  const long = "x".repeat(65);
  const states = "{CRAM-MD5}ad74e8a83b48b6e24fa4180c09ca51f3c808257d34b7726f362d26b38d5f1da0";
  expect(await verify(states, long)).toBe(true);
  expect(await verify(states, "x".repeat(64))).toBe(false);
});

it("no text makes the parser throw", () => {
  const begins = [
    "$y$",
    "$7$",
    "$sha1$",
    "$md5,",
    "$3$",
    "{SCRAM-SHA-1}",
    "{CRAM-MD5}",
    "{DES-CRYPT}",
    "{MD5}",
    "{NTLM}",
  ];
  fc.assert(
    fc.property(fc.constantFrom(...begins), fc.string(), (begin, rest) => {
      expect(() => parseStoredPassword(begin + rest)).not.toThrow();
    }),
  );
});
