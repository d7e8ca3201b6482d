import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PageServer, startPageServer } from "./page-server.ts";
import { headingOf, pictureList, picturesFolder } from "./picture-list.ts";

let server: PageServer;

beforeAll(async () => {
  server = await startPageServer();
});

afterAll(() => server[Symbol.asyncDispose]());

const mebibyte = 1024 * 1024;
const largestFolder = 2.75 * mebibyte;

const pictured = (): readonly (readonly [name: string, url: string])[] => [
  ...server.names.map((name) => [name, server.urlOf(name)] as const),
  ...server.statusUrls("en"),
  ...server.consoleUrls,
];

test("exactly the pages of the developer UI, the public status and the console's samples have pictures: `make screenshots` takes them", () => {
  const pictures = readdirSync(picturesFolder).filter((file) => file.endsWith(".webp"));
  expect(pictures.toSorted()).toEqual(
    pictured()
      .map(([name]) => `${name}.webp`)
      .toSorted(),
  );
});

test("the list of pictures has these pages, in this order", async () => {
  const pages = await Promise.all(
    pictured().map(async ([name, url]) => ({ name, title: headingOf(await (await fetch(url)).text()) })),
  );
  for (const { name, title } of pages) expect([name, title]).toEqual([name, expect.stringMatching(/./)]);
  expect(readFileSync(join(picturesFolder, "README.md"), "utf8")).toBe(pictureList(pages));
});

test("all pictures together are small enough for a checkout", () => {
  const sizes = readdirSync(picturesFolder).map((file) => statSync(join(picturesFolder, file)).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(largestFolder);
});
