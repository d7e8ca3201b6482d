import { hash } from "node:crypto";

/** An account's or a login's name in names of keys: of one length, and without the braces that choose a Cluster slot. */
export function nameDigest(name: string): string {
  return hash("sha256", name, "base64url");
}
