import { hash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "@postern/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createLeakedPasswords } from "./leaked-passwords.ts";

/** A busy machine reads slowly. */
const patientMs = 60_000;

const sha1 = (password: string): string => hash("sha1", password, "hex").toUpperCase();

function linesOf(passwords: readonly string[], form: (digest: string, index: number) => string, end: string): string {
  return passwords
    .map(sha1)
    .toSorted()
    .map((digest, index) => form(digest, index) + end)
    .join("");
}

const forms: readonly (readonly [string, (digest: string, index: number) => string, string])[] = [
  ["digests with counts, as downloaded", (digest, index) => `${digest}:${7 ** (index % 9)}`, "\r\n"],
  ["digests alone", (digest) => digest, "\n"],
  ["the first 20 digits of each digest", (digest) => digest.slice(0, 20).toLowerCase(), "\n"],
];

test.each(forms)("every password of the file is found, and no other: %s", async (_name, form, end) => {
  await using folder = await scratchFolder();
  const file = join(folder.path, "leaked");
  const leaked = createLeakedPasswords(file, () => undefined, patientMs);
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.string(), { maxLength: 40 }), fc.string(), async (passwords, other) => {
      writeFileSync(file, linesOf(passwords, form, end));
      for (const password of passwords) expect(await leaked.contains(password)).toBe(true);
      if (!passwords.includes(other)) expect(await leaked.contains(other)).toBe(false);
    }),
    { numRuns: 20 },
  );
});

test("an absent file is reported once and raises nothing", async () => {
  const problems: unknown[] = [];
  const leaked = createLeakedPasswords("/nonexistent/leaked", (error) => problems.push(error), patientMs);
  expect(await leaked.contains("secret")).toBeUndefined();
  expect(await leaked.contains("secret")).toBeUndefined();
  expect(problems).toHaveLength(1);
});

test("a file in another form contains nothing", async () => {
  await using folder = await scratchFolder();
  const file = join(folder.path, "leaked");
  writeFileSync(file, "password\n123456\n".repeat(100));
  expect(await createLeakedPasswords(file, () => undefined, patientMs).contains("123456")).toBe(false);
});
