import type { Ok } from "@postern/shared/contracts";
import { withAccountAttribute } from "../backends/found-account.ts";

/** A backend's answer in the cache: `decision` is frozen and shared by all hits. */
export interface CachedResult {
  /** Keyed digest of the context and the password; empty for a lookup without password. */
  readonly digest: Buffer;
  readonly decision: Ok;
  /** Name of the backend that answered; policies may use it and query it again. */
  readonly backendName: string;
}

/** A deeply frozen copy. All hits share its attributes. */
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

/** One line of JSON, to be encrypted. New fields are only appended; an engine that knows fewer fields gets a miss. */
export function encodeResult({ digest, decision, backendName }: CachedResult): string {
  const { account, accountField, totpSecretField, backend, attributes, groups = null } = decision;
  const text = digest.toString("base64");
  return JSON.stringify([text, account, accountField, totpSecretField, backend, attributes, backendName, groups]);
}

const fieldCount = 8;

function isFields(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length >= fieldCount;
}

type Fields = Pick<Ok, "account" | "accountField" | "totpSecretField">;

/** The string fields of a decision, which follow the digest. */
function textsOf([, account, accountField, totpSecretField]: readonly unknown[]): Fields | undefined {
  if (typeof account !== "string" || typeof accountField !== "string") return undefined;
  return typeof totpSecretField === "string" ? { account, accountField, totpSecretField } : undefined;
}

/** Undefined for anything that `encodeResult` of this version did not write. */
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
  const [backend, attributes, backendName, groups] = value.slice(4);
  if (texts === undefined || typeof digest !== "string" || typeof backendName !== "string") return undefined;
  if (typeof backend !== "number" || !isAttributes(attributes) || !(groups === null || isTexts(groups)))
    return undefined;
  const known = groups === null ? undefined : { groups };
  // The previous version wrote results without the attribute of the account's name.
  const released = withAccountAttribute(attributes, texts.accountField, texts.account);
  const decision: Ok = { outcome: "ok", ...texts, backend, attributes: released, ...known, memoryCache: "miss" };
  return { digest: Buffer.from(digest, "base64"), decision, backendName };
}
