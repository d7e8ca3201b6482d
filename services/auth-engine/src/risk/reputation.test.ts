import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "@postern/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createReputation, readReputationList } from "./reputation.ts";

const usual = 30;

const list = `# networks that sent spam
192.0.2.0/24
192.0.2.64/26   80 ; a part of it
192.0.2.99      0
2001:db8::/32   50
2001:db8:0:1::/64
::ffff:198.51.100.0/120 40

`;

test("the smallest network that contains the address counts, with the weight of its line", async () => {
  const { size, weightOf } = await readReputationList(list);
  expect(size).toBe(6);
  const expected = {
    "192.0.2.1": "usual",
    "::ffff:192.0.2.1": "usual",
    "192.0.2.65": 80,
    "192.0.2.99": 0,
    "192.0.3.1": "none",
    "2001:db8:ffff::1": 50,
    "2001:db8:0:1::25": "usual",
    "2001:db9::1": "none",
    "198.51.100.7": 40,
    "no address": "none",
  };
  for (const [address, weight] of Object.entries(expected))
    expect([address, weightOf(address)]).toEqual([address, weight]);
});

test.each([
  "192.0.2.0/33",
  "example.test",
  "192.0.2.0/24 101",
  "192.0.2.0/24 -1",
  "192.0.2.0/24 5 6",
  "::/0 x",
  "::ffff:0:0/95",
])("a list with the line %s is not used, and the message names the line", async (line) => {
  await expect(readReputationList(`192.0.2.0/24\n${line}\n`)).rejects.toThrow("line 2: ");
});

test("whatever a file contains, it is read or refused with its line", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary", maxLength: 200 }), async (text) => {
      const read = await readReputationList(text).catch((error: unknown) => String(error));
      if (typeof read === "string") expect(read).toContain("RangeError: line ");
      else expect(read.weightOf("192.0.2.1")).toBe("none");
    }),
  );
});

async function reputationIn(folder: string) {
  const problems: string[] = [];
  const files = ["one", "two"].map((name) => join(folder, name));
  const reputation = createReputation(
    files,
    () => undefined,
    (file, error) => problems.push(`${file.slice(folder.length + 1)}: ${String(error)}`),
  );
  await reputation.refresh();
  const replace = async (name: string, text: string) => {
    writeFileSync(join(folder, "next"), text);
    renameSync(join(folder, "next"), join(folder, name));
    await reputation.refresh();
  };
  return { of: (address: string) => reputation.weightOf(address, usual), replace, reputation, problems };
}

test("lists are read again when they are replaced, a broken one leaves the one before in use, and without a file there is no reputation", async () => {
  await using folder = await scratchFolder();
  const { of, replace, reputation, problems } = await reputationIn(folder.path);
  expect(of("192.0.2.1")).toBeUndefined();
  await replace("one", "192.0.2.0/24\n");
  expect([of("192.0.2.1"), of("192.0.3.1")]).toEqual([usual, undefined]);
  await replace("two", "192.0.2.0/24 70\n");
  expect(of("192.0.2.1")).toBe(70);
  await replace("two", "192.0.2.0/24 0\n");
  expect(of("192.0.2.1")).toBe(usual);
  expect(problems).toEqual([]);
  await replace("one", "nonsense\n");
  expect(of("192.0.2.1")).toBe(usual);
  expect(problems).toEqual([expect.stringContaining("one: RangeError: line 1: ")]);
  await reputation.refresh();
  expect(problems).toHaveLength(1);
  rmSync(join(folder.path, "one"));
  await reputation.refresh();
  expect(of("192.0.2.1")).toBeUndefined();
});
