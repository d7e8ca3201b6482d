import type { AttributeFilter } from "@postern/shared/domain/released-attributes";
import type { Difference } from "@postern/shared/domain/shadow";
import type { KeyedDigest } from "@postern/shared/platform/crypto";
import type { Released } from "./answers.ts";

export interface CompareAttributesDeps {
  /** Removes attributes with secrets. */
  readonly releasable: AttributeFilter;
  /** In lower case. */
  readonly ignored: ReadonlySet<string>;
  readonly digest: KeyedDigest;
}

type DifferentAttribute = NonNullable<Difference["attributes"]>[number];

/** A directory may have entries of any size; what is reported is bounded. */
const maxNames = 20;
const maxNameLength = 64;
const maxValues = 4;
const digestedLength = 4096;
const digestLength = 12;

interface NamedValues {
  readonly name: string;
  readonly values: readonly string[];
}

/** By name in lower case; values are sorted, because directories return them in any order. */
function valuesOf(released: Released, { releasable, ignored }: CompareAttributesDeps) {
  const all = new Map<string, NamedValues>();
  const add = (name: string, values: readonly string[]): void => {
    const key = name.toLowerCase();
    if (!ignored.has(key)) all.set(key, { name, values: values.toSorted() });
  };
  const { attributes, account, accountField, totpSecretField, groups } = released;
  for (const [name, list] of Object.entries(releasable(attributes))) {
    // Names of accounts are compared on their own, whatever attribute has them.
    const isAccount = name === accountField && list.length === 1 && list[0] === account;
    if (!isAccount && name !== totpSecretField) add(name, list);
  }
  if (groups !== undefined) add("groups", groups);
  return { all, add };
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((value, index) => value === other[index]);

/** @returns the attributes whose values differ, in the order of their names */
export function differentAttributes(
  old: Released,
  now: Released,
  deps: CompareAttributesDeps,
): readonly DifferentAttribute[] {
  const sides = [valuesOf(old, deps), valuesOf(now, deps)] as const;
  const { uniqueUserId: id } = old;
  // A backend without a mapping for it says nothing about it.
  if (id !== undefined && now.uniqueUserId !== undefined) {
    sides[0].add("unique_user_id", [id]);
    sides[1].add("unique_user_id", [now.uniqueUserId]);
  }
  const [{ all: before }, { all: after }] = sides;
  const digests = (values: readonly string[]): string[] =>
    values
      .slice(0, maxValues)
      .map((value) =>
        deps.digest(`${value.length} ${value.slice(0, digestedLength)}`, "base64url").slice(0, digestLength),
      );
  return [...new Set([...before.keys(), ...after.keys()])]
    .toSorted()
    .map((key) => {
      const [one, other] = [before.get(key), after.get(key)];
      return { name: one?.name ?? other?.name ?? key, old: one?.values ?? [], new: other?.values ?? [] };
    })
    .filter((one) => !isSame(one.old, one.new))
    .slice(0, maxNames)
    .map((one) => ({ name: one.name.slice(0, maxNameLength), old: digests(one.old), new: digests(one.new) }));
}
