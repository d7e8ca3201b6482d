import * as fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { Secret } from "../../platform/crypto/secret.ts";
import { parseStoredPassword } from "./parse-stored-password.ts";
import type { StoredPassword } from "./schemes.ts";
import { createPasswordVerifier } from "./verifier.ts";

const verifier = createPasswordVerifier({ concurrency: 1, maxQueued: 10 });
afterAll(() => verifier.close());

const context = () => ({ deadline: Date.now() + 20_000, signal: new AbortController().signal });
function parsed(stored: string): StoredPassword {
  const read = parseStoredPassword(stored);
  if (read === undefined) throw new TypeError(`cannot read ${stored}`);
  return read;
}

const verify = (stored: string, password: string) => verifier.verify(stored, new Secret(password), context());

/** From `openssl passwd` and Python's hashlib: [stored text, password]. */
const vectors: readonly (readonly [string, string])[] = [
  ["$1$abcdefgh$y6iHhJNbuC0xpbk0w9pm80", "correct horse"],
  ["{MD5-CRYPT}$1$abcdefgh$y6iHhJNbuC0xpbk0w9pm80", "correct horse"],
  ["{CRYPT}$1$x$VbTGit44YF9bLD0ysNs3v.", "ünïcode-pässword-longer-than-sixteen"],
  ["$apr1$abcdefgh$sIQmFnT1CuEXAsyjuXjUX/", "correct horse"],
  ["$pbkdf2$1000$....c2FsdP8$/D0zlCb0gKeyQ.ms4rtDitjpvg4", "correct horse"],
  ["$pbkdf2-sha256$1000$....c2FsdP8$QVFiCHT6EvdMklwgXEDxkPDkcA2PxlmqMvb/fgQwiM8", "correct horse"],
  [
    "$pbkdf2-sha512$1000$....c2FsdP8$2QNkjHRz1utuSNTbvgJsYDUYilY4u6/JeG0fy0SYZsdgvsPHA3yQd9ucqdNFZjoIn35mheifMEyaoUS9XyISvw",
    "correct horse",
  ],
  ["{PBKDF2}$1$pdTpTJgL6ttTN4Pr$5000$03d3410409094e79f55143cbd469845538481b7a", "correct horse"],
];

it.each(vectors)("%s matches its password and no other", async (stored, password) => {
  expect(await verify(stored, password)).toBe(true);
  expect(await verify(stored, `${password}x`)).toBe(false);
  expect(await verify(stored, password.slice(1))).toBe(false);
  expect(await verify(stored, "")).toBe(false);
});

it.each([
  "$pbkdf2$9999999$c2FsdA$/D0zlCb0gKeyQ.ms4rtDitjpvg4",
  "$pbkdf2$0$c2FsdA$/D0zlCb0gKeyQ.ms4rtDitjpvg4",
  "$pbkdf2-sha512$1000$c2FsdA$/D0zlCb0gKeyQ.ms4rtDitjpvg4",
  "{PBKDF2}$2$salt$5000$03d3410409094e79f55143cbd469845538481b7a",
  "$1$abcdefgh$tooshort",
  "$1$waytoolongsalt$y6iHhJNbuC0xpbk0w9pm80",
])("%s is damaged or too costly: no verification is possible", (stored) => {
  expect(parseStoredPassword(stored)).toBeUndefined();
});

it("an old hash is upgraded to Argon2id of the same password, which is not upgraded again", async () => {
  const [stored, password] = vectors[0] ?? ["", ""];
  const better = await verifier.upgrade(parsed(stored), new Secret(password), context());
  expect(better).toMatch(/^\{ARGON2ID\}\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await verify(better ?? "", password)).toBe(true);
  expect(await verifier.upgrade(parsed(better ?? ""), new Secret(password), context())).toBeUndefined();
});

it("no text makes the parser throw", () => {
  fc.assert(
    fc.property(fc.constantFrom("$1$", "$pbkdf2$", "{PBKDF2}$1$", "{MD5-CRYPT}"), fc.string(), (begin, rest) => {
      expect(() => parseStoredPassword(begin + rest)).not.toThrow();
    }),
  );
});
