import { hash } from "node:crypto";

/**
 * An account or login name as part of a Redis key: of fixed length, and without braces, which would select a Cluster slot.
 */
export function nameDigest(name: string): string {
  return hash("sha256", name, "base64url");
}
