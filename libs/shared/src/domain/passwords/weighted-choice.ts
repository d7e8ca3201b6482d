import type { KeyedDigest } from "../../platform/crypto/keyed-digest.ts";

/** Number of remembered members; the oldest are dropped first. */
const windowSize = 1024;
const usuallyAssumed = 24;
/**
 * The proportions in use are updated when the learned ones differ by this much, so that a single member never changes them noticeably.
 */
const tolerance = 0.05;
/** Rarer kinds are ignored. */
const maxKinds = 64;

interface Share<Value> {
  readonly kind: string;
  readonly value: Value;
  weight: number;
}

function assumedWeight(members: number, assumed: number): number {
  return members <= assumed ? assumed : Math.max(0, (4 * assumed - members) / 3);
}

function normalised<Value>(shares: Iterable<Share<Value>>): ReadonlyMap<string, Share<Value>> {
  const heaviest = [...shares].toSorted((a, b) => b.weight - a.weight).slice(0, maxKinds);
  const sum = heaviest.reduce((total, { weight }) => total + weight, 0);
  return new Map(heaviest.map((share) => [share.kind, { ...share, weight: share.weight / sum }]));
}

/** Half the sum of the differences: the share of names whose value would change. */
function distance(a: ReadonlyMap<string, Share<unknown>>, b: ReadonlyMap<string, Share<unknown>>): number {
  const kinds = new Set([...a.keys(), ...b.keys()]);
  let sum = 0;
  for (const kind of kinds) sum += Math.abs((a.get(kind)?.weight ?? 0) - (b.get(kind)?.weight ?? 0));
  return sum / 2;
}

/** A number between 0 and 1 (exclusive) from 48 bits of the digest. */
function fraction(digest: KeyedDigest, text: string): number {
  const bytes = Buffer.from(digest(text, "binary"), "latin1");
  return (bytes.readUIntBE(0, 6) + 0.5) / 2 ** 48;
}

/**
 * Weighted rendezvous hashing: each kind draws a number for the name, scaled by its weight, and the lowest wins. When weights change, only
 * the necessary names change their value.
 */
function chosen<Value>(
  shares: ReadonlyMap<string, Share<Value>>,
  name: string,
  { digest, among }: { readonly digest: KeyedDigest; readonly among?: readonly Value[] | undefined },
): Value | undefined {
  let best: Value | undefined;
  let lowest = Number.POSITIVE_INFINITY;
  for (const { kind, value, weight } of shares.values()) {
    if (among !== undefined && !among.includes(value)) continue;
    // A single kind needs no draw.
    const drawn = shares.size === 1 ? 0 : -Math.log(fraction(digest, `${kind}\0${name}`)) / weight;
    if (drawn >= lowest) continue;
    lowest = drawn;
    best = value;
  }
  return best;
}

type ShareEntries<Value> = readonly (readonly [kind: string, value: Value, weight: number])[];

function summed<Value>(shares: ShareEntries<Value>): ReadonlyMap<string, Share<Value>> {
  const sums = new Map<string, Share<Value>>();
  for (const [kind, value, weight] of shares) {
    const share = sums.get(kind);
    if (share === undefined) sums.set(kind, { kind, value, weight });
    else share.weight += weight;
  }
  return sums;
}

/**
 * Chooses values for names, in the proportions in which known members have them.
 * @param usual chosen until values have been learned
 * @param assumed this many members of the usual kind are assumed until the same number has been learned; the assumption then fades, and
 * ends at four times as many
 */
export function createWeightedChoice<Value>(
  digest: KeyedDigest,
  [usualKind, usualValue]: readonly [kind: string, value: Value],
  assumed = usuallyAssumed,
) {
  const members = new Map<string, string>();
  const learned = new Map<string, Share<Value>>();
  let inUse: ReadonlyMap<string, Share<Value>> = new Map([
    [usualKind, { kind: usualKind, value: usualValue, weight: 1 }],
  ]);

  const count = (kind: string, by: number): void => {
    const share = learned.get(kind);
    if (share === undefined) return;
    share.weight += by;
    if (share.weight === 0) learned.delete(kind);
  };
  const forgetFirst = (): void => {
    for (const [member, kind] of members) {
      members.delete(member);
      count(kind, -1);
      return;
    }
  };
  const follow = (): void => {
    const weight = assumedWeight(members.size, assumed);
    const all = [...learned.values()];
    const next = normalised(weight > 0 ? [...all, { kind: usualKind, value: usualValue, weight }] : all);
    const isOutdated = inUse.values().some(({ kind }) => !next.has(kind));
    if (isOutdated || distance(inUse, next) > tolerance) inUse = next;
  };

  return {
    /** Returns the same value for the same name, except for the few names that must change when the proportions change. */
    choose: (name: string): Value => chosen(inUse, name, { digest }) ?? usualValue,
    /** Chooses among some of the values; undefined if no member has one of them. */
    chooseAmong: (name: string, among: readonly Value[]): Value | undefined => chosen(inUse, name, { digest, among }),
    /** Records that a member has a value of this kind. Each member counts once, with its latest kind. */
    learn: (member: string, kind: string, value: Value): void => {
      const before = members.get(member);
      if (before === kind) return;
      if (before !== undefined) count(before, -1);
      else if (members.size >= windowSize) forgetFirst();
      members.set(member, kind);
      if (learned.has(kind)) count(kind, 1);
      else learned.set(kind, { kind, value, weight: 1 });
      follow();
    },
    /** Sets the proportions. */
    fix: (shares: ShareEntries<Value>): void => {
      inUse = normalised(summed(shares).values());
    },
  };
}
