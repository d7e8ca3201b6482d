import { newCookieEntry } from "@postern/shared/domain/remembered-devices";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readEntries, readEntry, withEntry, writeEntry } from "./device-cookie.ts";

test("an entry is read as it was written, and fits into a cookie with three others", () => {
  const entries = Array.from({ length: 6 }, newCookieEntry);
  const value = entries.reduce<string | undefined>((kept, entry) => withEntry(kept, entry), undefined);
  expect(readEntries(value)).toEqual(entries.toReversed().slice(0, 4));
  expect(value?.length).toBeLessThanOrEqual(512);
});

test("a new value replaces the one of the same device", () => {
  const [mine, other] = [newCookieEntry(), newCookieEntry()];
  const next = { ...mine, token: newCookieEntry().token };
  expect(readEntries(withEntry(withEntry(writeEntry(other), mine), next))).toEqual([next, other]);
});

test("any text yields at most four entries, each of which would be written as it was read", () => {
  const part = fc.oneof(fc.string(), fc.constant(writeEntry(newCookieEntry())));
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const value = parts.join("~");
      const entries = readEntries(value);
      expect(entries.length).toBeLessThanOrEqual(4);
      for (const entry of entries) {
        expect(value).toContain(writeEntry(entry));
        expect(readEntry(writeEntry(entry))).toEqual(entry);
      }
    }),
  );
});
