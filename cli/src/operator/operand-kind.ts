import { isIP } from "node:net";

/** What an operand names. */
export type SubjectKind = "account" | "network" | "reference";

/** Whether a text is a reference that a sign-in page showed, or the whole GUID. */
export function isReference(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}(?:-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})?$/iu.test(text.trim());
}

/** An address, a network or a reference by its form; anything else is an account. */
export function subjectKind(text: string): SubjectKind {
  const [address = ""] = text.split("/");
  if (isIP(address) > 0) return "network";
  return isReference(text) ? "reference" : "account";
}
