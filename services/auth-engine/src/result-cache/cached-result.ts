import type { Ok } from "@postern/shared/contracts";

/** A directory's answer as it is cached: `decision` is frozen, and the same for all who hit it. */
export interface CachedResult {
  /** Keyed digest of the context and the password; empty for a look-up without one. */
  readonly digest: Buffer;
  readonly decision: Ok;
  /** Name of the directory whose answer it is: policies may ask about it, and ask it again. */
  readonly directory: string;
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
  const groups = decision.groups === undefined ? undefined : { groups: [...decision.groups] };
  Object.freeze(groups?.groups);
  return Object.freeze({ ...decision, ...groups, attributes, memoryCache });
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isAttributes(value: unknown): value is Record<string, string[]> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.values(value).every(isTexts);
}

/** One line of JSON, to be encrypted. Fields are added at the end only; an engine that knows fewer has a miss. */
export function encodeResult({ digest, decision, directory }: CachedResult): string {
  const { account, accountField, totpSecretField, backend, attributes, groups = null } = decision;
  const text = digest.toString("base64");
  return JSON.stringify([text, account, accountField, totpSecretField, backend, attributes, directory, groups]);
}

const fieldCount = 8;

function isFields(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length >= fieldCount;
}

type Fields = Pick<Ok, "account" | "accountField" | "totpSecretField">;

/** The texts of a decision that follow the digest. */
function textsOf([, account, accountField, totpSecretField]: readonly unknown[]): Fields | undefined {
  if (typeof account !== "string" || typeof accountField !== "string") return undefined;
  return typeof totpSecretField === "string" ? { account, accountField, totpSecretField } : undefined;
}

/** Undefined for what `encodeResult` of this version did not make. */
export function decodeResult(text: string): CachedResult | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isFields(value)) return undefined;
  const texts = textsOf(value);
  const digest = value[0];
  const [backend, attributes, directory, groups] = value.slice(4);
  if (texts === undefined || typeof digest !== "string" || typeof directory !== "string") return undefined;
  if (typeof backend !== "number" || !isAttributes(attributes) || !(groups === null || isTexts(groups)))
    return undefined;
  const known = groups === null ? undefined : { groups };
  const decision: Ok = { outcome: "ok", ...texts, backend, attributes, ...known, memoryCache: "miss" };
  return { digest: Buffer.from(digest, "base64"), decision, directory };
}
