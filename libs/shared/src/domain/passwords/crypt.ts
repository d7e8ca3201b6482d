import { timingSafeEqual } from "node:crypto";
import type { CryptTask } from "./crypt-worker.ts";
import { alphabet } from "./sha-crypt.ts";

/** The formats of crypt(5) that the system's libcrypt verifies: yescrypt, scrypt, DES and others that old systems wrote. */
export type CryptPassword = NonNullable<ReturnType<typeof parseWith>>;

const digit = (text: string, at: number): number => alphabet.indexOf(text.charAt(at));
/** Each verification in progress needs this much memory. */
const maxBytes = 128 * 1024 * 1024;
const maxRounds = 1_000_000;

interface CryptFormat {
  readonly form: RegExp;
  /** Whether the parameters are affordable: a verification must not take seconds or fill the memory. */
  readonly isAffordable: (groups: Readonly<Record<string, string>>) => boolean;
}

/** yescrypt's variable-length numbers: the first character states how many follow. Only the short ones are used for these parameters. */
const shortNumber = (text: string, at: number): number => digit(text, at) + 1;

const formats: readonly CryptFormat[] = [
  {
    // The parameters are flavour, log2 of N and r; more of them (parallelism, time) are not written by any system.
    form: /^(?<method>\$(?:y|gy)\$(?<parameters>j[./0-9A-Za-j][./0-9A-Za-j])\$)[./0-9A-Za-z]{0,86}\$[./0-9A-Za-z]{43}$/,
    isAffordable: ({ parameters = "" }) =>
      128 * shortNumber(parameters, 2) * 2 ** shortNumber(parameters, 1) <= maxBytes,
  },
  {
    form: /^(?<method>\$7\$(?<n>[./0-9A-Za-z])(?<r>[./0-9A-Za-z]{5})(?<p>[./0-9A-Za-z]{5}))[^$:\s]{0,64}\$[./0-9A-Za-z]{43}$/,
    isAffordable: ({ n = "", r = "", p = "" }) =>
      r.endsWith("....") && p === "/...." && 128 * digit(r, 0) * 2 ** digit(n, 0) <= maxBytes,
  },
  {
    form: /^(?<method>\$sha1\$(?<rounds>\d{1,7})\$)[./0-9A-Za-z]{1,64}\$[./0-9A-Za-z]{28}$/,
    isAffordable: ({ rounds = "" }) => Number(rounds) <= maxRounds,
  },
  {
    form: /^(?<method>\$md5(?:,rounds=(?<rounds>\d{1,6}))?\$)[./0-9A-Za-z]{1,16}\${1,2}[./0-9A-Za-z]{22}$/,
    isAffordable: ({ rounds = "0" }) => Number(rounds) <= maxRounds / 10,
  },
  { form: /^(?<method>\$3\$)\$[0-9a-f]{32}$/, isAffordable: () => true },
];

const oldFormats: readonly CryptFormat[] = [
  { form: /^(?<method>)[./0-9A-Za-z]{13}$/, isAffordable: () => true },
  {
    form: /^(?<method>_(?<rounds>[./0-9A-Za-z]{4}))[./0-9A-Za-z]{15}$/,
    isAffordable: ({ rounds = "" }) =>
      [0, 1, 2, 3].reduce((sum, at) => sum + digit(rounds, at) * 64 ** at, 0) <= maxRounds,
  },
];

/** DES, which stored texts have to name (`{CRYPT}`, `{DES-CRYPT}`): thirteen letters may be anything. */
export const parseDesCrypt = (text: string) => parseWith(oldFormats, text);

export const parseCrypt = (text: string) => parseWith(formats, text);

/** `method`: with the parameters, which determine the cost. `encoded`: the whole stored text. */
function parseWith(known: readonly CryptFormat[], text: string) {
  for (const { form, isAffordable } of known) {
    const groups = form.exec(text)?.groups;
    if (groups === undefined) continue;
    return isAffordable(groups)
      ? { scheme: "crypt" as const, method: groups["method"] ?? "", encoded: text }
      : undefined;
  }
  return undefined;
}

/** `compute` calls crypt(3) in another thread. It ends a password at NUL, so a password that contains NUL matches nothing. */
export async function verifyCrypt(
  { encoded }: CryptPassword,
  password: string,
  compute: (task: CryptTask) => Promise<string>,
): Promise<boolean> {
  if (password.includes("\0")) return false;
  const found = Buffer.from(await compute({ password, encoded }));
  const expected = Buffer.from(encoded);
  return found.length === expected.length && timingSafeEqual(found, expected);
}
