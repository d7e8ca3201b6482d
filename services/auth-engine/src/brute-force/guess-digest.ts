import { createHmac, createSecretKey } from "node:crypto";

/** What stands for a guess in Redis: keyed, so that nobody who reads Redis can try passwords against it. */
export function createGuessDigest(nonce: string): (username: string, password: string) => string {
  // A KeyObject: keying with the bytes costs five times as much.
  const key = createSecretKey(Buffer.from(`brute-force\0${nonce}`));
  return (username, password) =>
    createHmac("sha256", key).update(`${username.toLowerCase()}\0${password}`).digest("base64url").slice(0, 22);
}
