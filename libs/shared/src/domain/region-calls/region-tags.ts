import { createHash } from "node:crypto";

/** In no value of its own: tokens are base64url, and signed ones contain dots. Unreserved in URLs, and allowed in cookies and headers. */
const separator = "~";
const tag = /^([a-z0-9-]{1,20})~/;

/** A value that names the region which keeps its record. */
export function tagged(region: string, value: string): string {
  return `${region}${separator}${value}`;
}

/** The region that a value names. Undefined without a tag: the value is of this region. */
export function tagOf(value: string): string | undefined {
  return tag.exec(value)?.[1];
}

/**
 * The region at which a factor of this account is used up, the same in every region with the same list. When a region is added or removed,
 * only its share of the accounts moves (rendezvous hashing).
 */
export function homeOf(account: string, regions: readonly string[]): string {
  const weight = (region: string): string =>
    createHash("sha256")
      .update(JSON.stringify([region, account]))
      .digest("hex");
  const [home = ""] = regions.toSorted((left, right) => (weight(left) < weight(right) ? 1 : -1));
  return home;
}
