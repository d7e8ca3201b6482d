import { createSecretKey } from "node:crypto";
import { createKeyedDigest } from "@postern/shared/platform/crypto";

/** Represents a guess in Redis by a keyed digest, so that a reader of Redis cannot try passwords against it. */
export function createGuessDigest(nonce: string): (username: string, password: string) => string {
  const digest = createKeyedDigest(createSecretKey(Buffer.from(`brute-force\0${nonce}`)));
  return (username, password) => digest(`${username.toLowerCase()}\0${password}`, "base64url").slice(0, 22);
}
