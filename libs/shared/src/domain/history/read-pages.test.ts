import { expect, test } from "vitest";
import { createHistoryPages } from "./read-pages.ts";
import type { Stored } from "./read-places.ts";

const timeMs = Date.UTC(2030, 4, 6);

const stored: Stored = {
  identity: "identity",
  timeMs,
  firstMs: timeMs,
  count: 1,
  outcome: "ok",
  channel: "mail",
  account: "alice",
  username: "alice",
  clientIp: "203.0.113.9",
  protocol: "imap",
  reason: "",
  rule: "",
  step: "",
  client: "",
  instance: "",
  session: "s",
};

/** Indexes of which one answer has all members, or one for each cursor. */
function pagesOf(
  answers: (key: string, scan: string, size: number) => readonly [next: string, digests: readonly string[]],
) {
  let scans = 0;
  const zscan = async (key: string, scan: string, _count: string, size: number) => {
    scans += 1;
    const [next, digests] = answers(key, scan, size);
    return [next, digests.flatMap((digest) => [digest, String(timeMs / 1000)])];
  };
  let records = 0;
  const readPlace = async () => {
    const found = Array.from({ length: 40 }, (_, index) => ({ ...stored, identity: `identity ${index}` }));
    records += found.length;
    return found;
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only this command is called
  const redis = { zscan } as unknown as Parameters<typeof createHistoryPages>[0]["redis"];
  return {
    page: createHistoryPages({ redis, keyPrefix: "p:", recordsOfOne: 50 }, readPlace),
    counted: () => {
      const counts = { scans, records };
      scans = 0;
      records = 0;
      return counts;
    },
  };
}

const digestsIn = (shard: string, count: number): readonly string[] =>
  Array.from(
    { length: count },
    (_, index) => `${shard}${String((index * 7919) % 100_000).padStart(5, "0")}-digest-of-22`,
  );

test("a page has at most 2000 records of small indexes, and all pages have every history once", async () => {
  const { page, counted } = pagesOf((key) => {
    const [, kind, shard = ""] = /\{(\w+):(.)\}/u.exec(key) ?? [];
    return ["0", kind === "account" && "ABC".includes(shard) ? digestsIn(shard, 128) : []];
  });
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const { histories, next } = await page(cursor, 0);
    expect(counted().records).toBeLessThanOrEqual(2000);
    expect(next ?? "").not.toContain("digest");
    seen.push(...histories.map(({ id }) => id));
    cursor = next;
  } while (cursor !== undefined);
  expect([seen.length, new Set(seen).size]).toEqual([3 * 128, 3 * 128]);
});

test("a page ends after some answers in which nothing is recent, and the next one goes on", async () => {
  const { page, counted } = pagesOf((_key, scan) => [String((Number(scan) + 1) % 1000), ["Adigest"]]);
  const first = await page(undefined, timeMs + 1000);
  expect([counted().scans, first.histories, first.next]).toEqual([32, [], "0:32"]);
  const second = await page(first.next, timeMs + 1000);
  expect([counted().scans, second.next]).toEqual([32, "0:64"]);
});

test("a large index is asked for as much as fits on a page", async () => {
  const sizes = new Set<number>();
  const { page } = pagesOf((_key, scan, size) => {
    sizes.add(size);
    return [String(Number(scan) + 1), digestsIn("A", size)];
  });
  const { histories, next } = await page("0:7", 0);
  expect([[...sizes], histories.length, next]).toEqual([[40], 40, "0:8"]);
});

test.each(["nonsense", "500:0", "0:", "0:0:short", "0:0:sixsix:more", "-1:0"])("%s is no cursor", async (cursor) => {
  await expect(pagesOf(() => ["0", []]).page(cursor, 0)).rejects.toThrow(RangeError);
});
