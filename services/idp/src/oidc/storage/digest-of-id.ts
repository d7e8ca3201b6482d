import { hash } from "node:crypto";

/** Names a record in Redis and in lists by its identifier, which may itself be a token. */
export function digestOfId(id: string): string {
  return hash("sha256", id, "base64url");
}
