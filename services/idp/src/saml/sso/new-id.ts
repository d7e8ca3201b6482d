import { randomBytes } from "node:crypto";

/** The ID of a message or of a session at service providers: 160 bits, and a name of XML. */
export const newId = (): string => `_${randomBytes(20).toString("hex")}`;
