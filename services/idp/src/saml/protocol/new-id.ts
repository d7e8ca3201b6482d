import { randomBytes } from "node:crypto";

/** ID of a message, or of a session at service providers: 160 bits, and a valid XML name. */
export const newId = (): string => `_${randomBytes(20).toString("hex")}`;
