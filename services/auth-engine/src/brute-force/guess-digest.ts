import { createSecretKey } from "node:crypto";
import { createKeyedDigest } from "@postern/shared/crypto";

/** What stands for a guess in Redis: keyed, so that nobody who reads Redis can try passwords against it. */
export function createGuessDigest(nonce: string): (username: string, password: string) => string {
  const digest = createKeyedDigest(createSecretKey(Buffer.from(`brute-force\0${nonce}`)));
  return (username, password) => digest(`${username.toLowerCase()}\0${password}`, "base64url").slice(0, 22);
}
