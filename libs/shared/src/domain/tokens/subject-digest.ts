import { hash } from "node:crypto";

/** The subject of a token: a user, or a client that acts for itself and may have the same name as a user. */
export interface TokenSubject {
  readonly kind: "user" | "client";
  readonly id: string;
}

/** An issuer's subject as part of a Redis key: a digest, so that no user name is stored in plain text. */
export function subjectDigest(issuer: string, subject: string): string {
  return hash("sha256", `${issuer}\n${subject}`, "base64url");
}

/**
 * Includes the kind of subject, so that a client's name is not confused with a user's. No issuer begins with the name of a kind.
 */
export function kindDigest(issuer: string, { kind, id }: TokenSubject): string {
  return hash("sha256", `${kind} ${issuer}\n${id}`, "base64url");
}
