import { hash } from "node:crypto";

/** Who a token is about: a user, or a client that acts for itself and may have the name of a user. */
export interface TokenSubject {
  readonly kind: "user" | "client";
  readonly id: string;
}

/** A subject of an issuer in names of keys: a digest, so that no user name stands in Redis. */
export function subjectDigest(issuer: string, subject: string): string {
  return hash("sha256", `${issuer}\n${subject}`, "base64url");
}

/** The same of one kind, so that a client's name is not a user's. No issuer begins with the name of a kind. */
export function kindDigest(issuer: string, { kind, id }: TokenSubject): string {
  return hash("sha256", `${kind} ${issuer}\n${id}`, "base64url");
}
