import type { Difference, DifferenceKind } from "@postern/shared/domain/shadow";
import type { KeyedDigest } from "@postern/shared/platform/crypto";
import type { KnownAccount, SideAnswer } from "./answers.ts";
import { type CompareAttributesDeps, differentAttributes } from "./attributes.ts";

/** Without account and protocol, which are the same for all differences of a request. */
export type Found = Omit<Difference, "account" | "protocol">;

/**
 * What could be compared: undefined for a kind on which both sides agree. A kind that is absent could not be judged, so what is known of it
 * stands.
 */
export type Comparison = ReadonlyMap<DifferenceKind, Found | undefined>;

/** Kinds of second factors that an account has; undefined if they are not compared. */
export type Factors = readonly string[] | undefined;

const wordOf = (is: boolean, yes: string, no: string): string => (is ? yes : no);

/** Directories choose what they answer, and a report keeps it. */
const maxLength = 256;
const digestLength = 16;

/** A longer text is cut, and ends with a digest, so that different texts stay different. */
function bounded(text: string, digest: KeyedDigest): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength - digestLength - 1)}…${digest(text, "base64url").slice(0, digestLength)}`;
}

const differing = (old: string, now: string, digest: KeyedDigest): Found | undefined =>
  old === now ? undefined : { old: bounded(old, digest), new: bounded(now, digest) };

const textOf = (factors: readonly string[]): string => (factors.length === 0 ? "none" : factors.join(", "));

function comparedAccounts(old: KnownAccount, now: KnownAccount, deps: CompareAttributesDeps) {
  const comparison = new Map<DifferenceKind, Found | undefined>([
    ["missing", undefined],
    ["added", undefined],
  ]);
  if (old.isRight !== undefined && now.isRight !== undefined) {
    const word = (is: boolean): string => wordOf(is, "right", "wrong");
    comparison.set("password", differing(word(old.isRight), word(now.isRight), deps.digest));
  }
  if (old.isDisabled !== undefined && now.isDisabled !== undefined) {
    const word = (is: boolean): string => wordOf(is, "disabled", "enabled");
    comparison.set("disabled", differing(word(old.isDisabled), word(now.isDisabled), deps.digest));
  }
  // Mail stores find mailboxes by this name, so its letter case counts.
  if (old.account !== undefined && now.account !== undefined)
    comparison.set("account", differing(old.account, now.account, deps.digest));
  if (old.released !== undefined && now.released !== undefined) {
    const attributes = differentAttributes(old.released, now.released, deps);
    comparison.set("attributes", attributes.length === 0 ? undefined : { attributes: [...attributes] });
  }
  return comparison;
}

/** Compares what both sides say about one name. */
export function compare(
  old: SideAnswer,
  now: SideAnswer,
  factors: { readonly old: Factors; readonly new: Factors },
  deps: CompareAttributesDeps,
): Comparison {
  if (old.kind === "unknown") {
    const isKnown = now.kind === "known" && !(old.mayBeDisabled === true && now.isDisabled === true);
    return new Map([
      ["added", isKnown ? {} : undefined],
      ["missing", undefined],
    ]);
  }
  if (now.kind === "unknown")
    return new Map([
      ["missing", {}],
      ["added", undefined],
    ]);
  const comparison = comparedAccounts(old, now, deps);
  if (factors.old !== undefined && factors.new !== undefined) {
    comparison.set("second_factors", differing(textOf(factors.old), textOf(factors.new), deps.digest));
  }
  return comparison;
}
