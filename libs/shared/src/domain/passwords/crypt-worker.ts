/** Entry point of the threads of `schemes.ts`. */
import { nativeFunctions } from "../../platform/ffi/native-functions.ts";

export { computeShaCryptDigest } from "./sha-crypt.ts";

export interface CryptTask {
  readonly password: string;
  /** The stored text, which begins with method, parameters and salt. */
  readonly encoded: string;
}

/** `struct crypt_data` of crypt.h; the result is at its beginning and ends with NUL. */
const dataBytes = 32_768;

type CryptR = (password: string, setting: string, data: Buffer, size: number) => unknown;
let loaded: CryptR | undefined;

/** Once in each thread, when the first password needs it. */
function library(): CryptR {
  loaded ??= nativeFunctions().dlopen("libcrypt.so.1", {
    crypt_rn: { return: "pointer", arguments: ["string", "string", "buffer", "i32"] },
  }).functions.crypt_rn;
  return loaded;
}

/**
 * The text that crypt(3) of the system's libcrypt (libxcrypt) makes of the password; empty if it refuses, such as a password of more than
 * 511 bytes.
 *
 * @throws if the system has no libcrypt.so.1
 */
export function computeCrypt({ password, encoded }: CryptTask): string {
  const data = Buffer.alloc(dataBytes);
  const crypt = library();
  try {
    if (crypt(password, encoded, data, dataBytes) === 0n) return "";
    return data.toString("latin1", 0, data.indexOf(0));
  } finally {
    data.fill(0);
  }
}
