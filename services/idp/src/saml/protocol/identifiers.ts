import { randomBytes } from "node:crypto";

/** ID of a message, or of a session at service providers: 160 bits, and a valid XML name. */
export const newId = (): string => `_${randomBytes(20).toString("hex")}`;

/** Normalises an entity ID for comparison: scheme and host in lower case, no trailing slash, no fragment. */
export function sameEntity(entityId: string): string {
  const url = /^https?:/i.test(entityId) ? URL.parse(entityId) : null;
  if (url === null) return entityId;
  url.hash = "";
  return url.href.replace(/\/$/, "");
}
