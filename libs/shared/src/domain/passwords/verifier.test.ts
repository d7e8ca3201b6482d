import { stat } from "node:fs/promises";
import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { Secret } from "../../platform/crypto/secret.ts";
import { parseStoredPassword, readStoredPassword } from "./parse-stored-password.ts";
import type { StoredPassword } from "./schemes.ts";
import { createPasswordVerifier } from "./verifier.ts";

const verifier = createPasswordVerifier({ concurrency: 2, maxQueued: 100 });
afterAll(() => verifier.close());

const context = () => ({ deadline: Date.now() + 20_000, signal: new AbortController().signal });
/** Text in that alphabet, not always of a valid length. */
const base64 = (minLength: number, maxLength: number) =>
  fc.stringMatching(new RegExp(`^[A-Za-z0-9+/]{${minLength},${maxLength}}$`));

const verify = async (stored: string, password: string) => verifier.verify(stored, new Secret(password), context());

function parsed(stored: string): StoredPassword {
  const read = parseStoredPassword(stored);
  if (read === undefined) throw new TypeError(`cannot read ${stored}`);
  return read;
}

const sha512OfX64 =
  "$6$saltsalt$55HgDHfXPAT2alm9wGBYfZ4wSwbvPfp5Ckl0DdpNANMj2lPpWfhUgp5km1bq8meJGCDkDGSHYEZyDYoThYWH0/";
const sha512OfSecret =
  "$6$saltsalt$TVLlQcbpFVof5W3Yz4DTP6gRstiNuHwwTt6GLc1E5n0U0aDehy0S5knV8wiOQSpT0Y77vwPZN.Pq.H91p5hVO1";
const sha256OfSecret = "$5$saltsalt$0IyaXrmV7.sGNS6tirgqHLqX/G.FBvgkYA.lpPdS5sA";
const argon2idOfPassword = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";
const bcryptOfX80 = "$2y$04$abcdefghijklmnopqrstuubzadhGtS2zEF.gu0yd0opP6cVzb.e0i";

/** [source of the text, stored text, password] */
const vectors: readonly (readonly [string, string, string])[] = [
  ["Argon2 reference, argon2id v19", argon2idOfPassword, "password"],
  ["Argon2 reference, argon2id, {ARGON2ID}", `{ARGON2ID}${argon2idOfPassword}`, "password"],
  ["Argon2 reference, argon2id, {argon2}", `{argon2}${argon2idOfPassword}`, "password"],
  [
    "Argon2 reference, argon2i v19",
    "$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA",
    "password",
  ],
  [
    "Argon2 reference, argon2i v16 without v=",
    "{ARGON2I}$argon2i$m=65536,t=2,p=1$c29tZXNhbHQ$9sTbSlTio3Biev89thdrlKKiCaYsjjYVJxGAL3swxpQ",
    "password",
  ],
  ["libxcrypt $2b$", "$2b$05$abcdefghijklmnopqrstuuZVEMa1pjhlynBQ1qXmSvGBJpN9h1w8G", "pässwörd"],
  ["libxcrypt $2a$", "$2a$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a", "secret"],
  ["libxcrypt $2y$, {BLF-CRYPT}", `{BLF-CRYPT}${bcryptOfX80}`, "x".repeat(80)],
  ["libxcrypt $2y$, {CRYPT}, first 72 bytes", `{CRYPT}${bcryptOfX80}`, "x".repeat(72)],
  ["openssl passwd -6", sha512OfSecret, "secret"],
  ["openssl passwd -6, password as long as the digest", sha512OfX64, "x".repeat(64)],
  [
    "openssl passwd -6, password twice as long as the digest",
    "$6$saltsalt$gMgmpB5vJeEcZwoAK.oBWemFhmunx1texmUNGdSUf7Zh2wFqvTSYmVFxR2ScPvzAbcm2xRvGYjMzS0Ao8.Pqo0",
    "x".repeat(128),
  ],
  ["openssl passwd -5", sha256OfSecret, "secret"],
  [
    "openssl passwd -5, password as long as the digest",
    "$5$saltsalt$nVO9zoM.Bfq522j476PYcqDc2vxmMSeMl7RsOoxrn37",
    "x".repeat(32),
  ],
  ["openssl passwd -5, {SHA256-CRYPT}", `{SHA256-CRYPT}${sha256OfSecret}`, "secret"],
  ["openssl passwd -6, {SHA512-CRYPT}", `{SHA512-CRYPT}${sha512OfSecret}`, "secret"],
  ["openssl passwd -6, {CRYPT}", `{CRYPT}${sha512OfSecret}`, "secret"],
  [
    "libxcrypt, rounds=12345",
    "$6$rounds=12345$salt$hgNUk2PalBJyTQXSZFEfoGWHCmORdyastLmcD.7iPeMqzeG3/7.aoKVvW9CN/amTde9d9r3dcWoQk3bV8lM0r.",
    "secret",
  ],
  ["libxcrypt, rounds=1000", "$5$rounds=1000$salt$CCvcOM6b7TEJDPb37Aec/9UpOg4QhPNAxPpL9ZzjTB7", "secret"],
  ["libxcrypt, fewer rounds count as 1000", "$5$rounds=777$salt$CCvcOM6b7TEJDPb37Aec/9UpOg4QhPNAxPpL9ZzjTB7", "secret"],
  [
    "libxcrypt, salt beyond 16 characters",
    "$6$rounds=1000$averylongsaltof20ch$Nm42CBjEsoGqzppJXfSN0Gm9jNzH2Ot8IkgIDwzG49iyLoOgcpl7jfRU3Hw7ZvHQCMAFtpzb2D3lnK9K1EgHK.",
    "secret",
  ],
  [
    "libxcrypt, empty salt",
    "$6$$2M9DchxW4txWyTYoZrH9D3VvAAQxBpEezYsLY6Cao.jwzEXpyL9xwip9hiUZX7GqTqe/E/z6iKvZqXUuqniQH.",
    "secret",
  ],
  ["slappasswd {SSHA}", "{SSHA}dhs3sC7GbQsJsMiQZQx4eTRs4aNMwLC+", "secret"],
  ["hashlib {ssha}", "{ssha}1G904nLkTkGWjKNnQuB/hpWXC/hzYWx0c2FsdA==", "secret"],
  ["hashlib {SSHA.HEX}", "{SSHA.HEX}d46f74e272e44e41968ca36742e07f8695970bf873616c7473616c74", "secret"],
  ["hashlib {SSHA256}", "{SSHA256}oBmrdHcA6OZEkkCLeXh71YAerbvhXz1qqwjrPsXmEtNzYWx0c2FsdA==", "secret"],
  ["hashlib {SSHA256.b64}", "{SSHA256.b64}oBmrdHcA6OZEkkCLeXh71YAerbvhXz1qqwjrPsXmEtNzYWx0c2FsdA", "secret"],
  [
    "hashlib {SSHA512}",
    "{SSHA512}aCu7JRc+kLsuEmFs1zTY+AiP7DSGnjjG+dH28Dp+E5usqoAixeTPihKqZmkWal4mUfp63tqvCAkFV1LKTDFH6XNhbHRzYWx0",
    "secret",
  ],
  [
    "hashlib {SSHA512.hex}",
    "{SSHA512.hex}682bbb25173e90bb2e12616cd734d8f8088fec34869e38c6f9d1f6f03a7e139bacaa8022c5e4cf8a12aa6669166a5e2651fa7adedaaf0809055752ca4c3147e973616c7473616c74",
    "secret",
  ],
];

describe("createPasswordVerifier", () => {
  it.each(vectors)("accepts the password of %s and no other", async (_origin, stored, password) => {
    expect(await verify(stored, password)).toBe(true);
    expect(await verify(stored, `!${password}`)).toBe(false);
  });

  it.each([
    ["plain text", "secret"],
    ["a plain scheme", "{PLAIN}secret"],
    ["nothing", ""],
    ["a locked account of shadow(5)", `!${sha512OfSecret}`],
    ["DES crypt", "abJnggxhB/yWI"],
    ["Argon2 with more than 1 GiB", argon2idOfPassword.replace("m=256", "m=1048577")],
    ["Argon2 with more than 32 passes", argon2idOfPassword.replace("t=2", "t=33")],
    ["Argon2 with 1 GiB in 5 passes", argon2idOfPassword.replace("m=256,t=2", "m=1048576,t=5")],
    ["Argon2 with less memory than its lanes need", argon2idOfPassword.replace("m=256,t=2,p=1", "m=8,t=2,p=2")],
    ["bcrypt with cost 17", bcryptOfX80.replace("$04$", "$17$")],
    ["bcrypt with a cost below bcrypt's least", bcryptOfX80.replace("$04$", "$03$")],
    ["bcrypt with unused bits in the salt, which the verifier cannot parse", bcryptOfX80.replace("stuub", "stuvb")],
    ["bcrypt with unused bits in the digest", bcryptOfX80.replace(/i$/u, "j")],
    ["SHA-crypt with more than a million rounds", sha512OfSecret.replace("$6$", "$6$rounds=1000001$")],
    ["SHA-crypt with a digest of the other length", sha256OfSecret.replace("$5$", "$6$")],
    ["a prefix of another scheme", `{SSHA}${sha512OfSecret}`],
    ["a salted digest without salt", "{SSHA}5en6G6MezRroT3XKqkdPOmY/BfQ="],
  ])("denies %s with the cost of a verification, and reports the reason", async (_what, stored) => {
    const reasons: string[] = [];
    const reporting = createPasswordVerifier({
      concurrency: 1,
      maxQueued: 1,
      onUnverifiable: (reason) => reasons.push(reason),
    });
    expect(await reporting.verify(stored, new Secret("secret"), context())).toBe(false);
    expect(reporting.load().startedTotal).toBe(1);
    expect(reasons).toEqual([readStoredPassword(stored)]);
    await reporting.close();
  });

  it.each([
    ["bcrypt", "$2a$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a"],
    ["SHA-crypt", sha512OfSecret],
  ])("does not end a password at a NUL character (%s)", async (_scheme, stored) => {
    expect(await verify(stored, "secret\0tail")).toBe(false);
  });

  it("rejects a password of more than 4096 bytes without work, for known and unknown names alike", async () => {
    const before = verifier.load().startedTotal;
    expect(await verify(bcryptOfX80, "x".repeat(4097))).toBe(false);
    await verifier.spend(parsed(bcryptOfX80), new Secret("x".repeat(4097)), context());
    expect(verifier.load().startedTotal).toBe(before);
  });

  it.each([
    ["Argon2", argon2idOfPassword.replace("m=256", "m=65536")],
    ["bcrypt", bcryptOfX80.replace("$04$", "$09$")],
    ["SHA-crypt", sha512OfSecret.replace("$6$", "$6$rounds=50000$")],
  ])("does not block the event loop (%s)", async (_scheme, stored) => {
    // The result of a thread is received in the poll phase. After a read that ends in this phase, the callback comes before the next one,
    // on a busy machine too.
    await stat(import.meta.filename);
    const order: string[] = [];
    setImmediate(() => order.push("event loop"));
    await verify(stored, "wrong");
    order.push("result");
    expect(order).toEqual(["event loop", "result"]);
  });

  it("parses every Argon2 string that it can verify", async () => {
    await fc.assert(
      fc.asyncProperty(base64(11, 86), base64(16, 172), fc.nat({ max: 40 }), async (salt, digest, lanes) => {
        const stored = `$argon2id$v=19$m=${8 * lanes},t=1,p=${lanes}$${salt}$${digest}`;
        expect(await verify(stored, "guess")).toBe(false);
      }),
      { numRuns: 30 },
    );
  });

  it("performs one verification for a decoy", async () => {
    const before = verifier.load().startedTotal;
    await verifier.spend(parsed(argon2idOfPassword), new Secret("guess"), context());
    expect(verifier.load().startedTotal).toBe(before + 1);
  });

  it("rejects work above its limits immediately, for known and unknown names", async () => {
    const small = createPasswordVerifier({ concurrency: 1, maxQueued: 1 });
    const slow = bcryptOfX80.replace("$04$", "$08$");
    const guess = new Secret("guess");
    const verifySlow = async () => small.verify(slow, guess, context());
    const accepted = [verifySlow(), verifySlow()];
    await expect(small.verify(slow, guess, context())).rejects.toMatchObject({ code: "DIRECTORY_OVERLOADED" });
    await expect(small.spend(parsed(slow), guess, context())).rejects.toMatchObject({ code: "DIRECTORY_OVERLOADED" });
    expect(await Promise.all(accepted)).toEqual([false, false]);
    expect(small.load()).toEqual({ running: 0, queued: 0, startedTotal: 2, shedTotal: 2 });
    await small.close();
    await expect(small.verify(slow, guess, context())).rejects.toMatchObject({ code: "SHUTTING_DOWN" });
  });
});
