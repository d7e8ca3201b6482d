import type { Ok } from "@postern/shared/contracts";

/** A directory's answer as it is cached: `decision` is frozen, and the same for all who hit it. */
export interface CachedResult {
  /** Keyed digest of the context and the password; empty for a look-up without one. */
  readonly digest: Buffer;
  readonly decision: Ok;
}

/** A copy that nobody can change. Its attributes are shared by every hit. */
export function frozenDecision(decision: Ok, memoryCache: Ok["memoryCache"]): Ok {
  const attributes: Record<string, string[]> = {};
  for (const [name, values] of Object.entries(decision.attributes)) {
    const copy = [...values];
    Object.freeze(copy);
    attributes[name] = copy;
  }
  Object.freeze(attributes);
  return Object.freeze({ ...decision, attributes, memoryCache });
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isAttributes(value: unknown): value is Record<string, string[]> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.values(value).every(isTexts);
}

/** One line of JSON, to be encrypted. */
export function encodeResult({ digest, decision }: CachedResult): string {
  const { account, accountField, totpSecretField, backend, attributes } = decision;
  return JSON.stringify([digest.toString("base64"), account, accountField, totpSecretField, backend, attributes]);
}

/** Undefined for what `encodeResult` of this version did not make. */
export function decodeResult(text: string): CachedResult | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(value) || value.length !== 6) return undefined;
  const [digest, account, accountField, totpSecretField, backend, attributes]: readonly unknown[] = value;
  if (typeof digest !== "string" || typeof account !== "string" || typeof accountField !== "string") return undefined;
  if (typeof totpSecretField !== "string" || typeof backend !== "number" || !isAttributes(attributes)) return undefined;
  const decision: Ok = {
    outcome: "ok",
    account,
    accountField,
    totpSecretField,
    backend,
    attributes,
    memoryCache: "miss",
  };
  return { digest: Buffer.from(digest, "base64"), decision };
}
