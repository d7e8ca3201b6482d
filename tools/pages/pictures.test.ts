import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PageServer, startPageServer } from "./page-server.ts";
import { headingOf, pictureList, picturesFolder } from "./picture-list.ts";

let server: PageServer;

beforeAll(async () => {
  server = await startPageServer();
});

afterAll(() => server[Symbol.asyncDispose]());

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
