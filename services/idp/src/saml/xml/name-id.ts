import { createHmac, type KeyObject, randomBytes } from "node:crypto";
import { nameIdFormats } from "../protocol/names.ts";

export interface NameId {
  readonly format: string;
  readonly value: string;
}

export type NameIdKind = keyof typeof nameIdFormats;

export function isNameIdKind(name: string): name is NameIdKind {
  return Object.hasOwn(nameIdFormats, name);
}

const kinds = ["persistent", "transient", "email", "unspecified"] as const;

/** The kind that a request's NameIDPolicy requests; `any`: we choose; undefined: unsupported. */
export function requestedKind(format: string | undefined): NameIdKind | "any" | undefined {
  if (format === undefined || format === nameIdFormats.unspecified) return "any";
  return kinds.find((kind) => nameIdFormats[kind] === format);
}

export interface NameIdSubject {
  readonly accountId: string;
  readonly account: string;
  readonly mail: string | undefined;
  /** Entity ID of the service provider: persistent names differ between service providers. */
  readonly audience: string;
}

/**
 * The name ID of a format (saml-core §8.3). Persistent: never changes, differs for each service provider, and reveals
 * nothing about the user. Transient: new each time. Email: the user's address. Unspecified: the account name.
 * @returns undefined if the user has no address
 */
export function nameIdOf(kind: NameIdKind, subject: NameIdSubject, secret: KeyObject): NameId | undefined {
  const format = nameIdFormats[kind];
  const { accountId, account, mail, audience } = subject;
  switch (kind) {
    case "persistent": {
      const parts = JSON.stringify([audience, accountId]);
      return { format, value: createHmac("sha256", secret).update(parts).digest("base64url") };
    }
    case "transient":
      return { format, value: `_${randomBytes(20).toString("hex")}` };
    case "email": {
      const address = mail ?? (account.includes("@") ? account : undefined);
      return address === undefined ? undefined : { format, value: address };
    }
    case "unspecified":
      return { format, value: account };
  }
}
