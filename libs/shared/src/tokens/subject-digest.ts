import { hash } from "node:crypto";

/** A subject of an issuer in names of keys: a digest, so that no user name stands in Redis. */
export function subjectDigest(issuer: string, subject: string): string {
  return hash("sha256", `${issuer}\n${subject}`, "base64url");
}
