import { afterAll, beforeAll, expect, test } from "vitest";
import { type PageServer, startPageServer } from "./page-server.ts";

let server: PageServer;

beforeAll(async () => {
  server = await startPageServer();
});

afterAll(() => server[Symbol.asyncDispose]());

const limitBytes = 60_000;

async function bytesOf(url: string): Promise<Buffer> {
  const response = await fetch(url);
  expect([url, response.status]).toEqual([url, 200]);
  return Buffer.from(await response.arrayBuffer());
}

/** What the server sent, by URL, because pages share files. */
const weighed = new Map<string, number>();

async function weightOf(url: string): Promise<number> {
  const known = weighed.get(url);
  if (known !== undefined) return known;
  const { length } = await bytesOf(url);
  weighed.set(url, length);
  return length;
}

/** Size of the page and everything that it loads, uncompressed. */
async function wholeWeight(url: string): Promise<number> {
  const page = await bytesOf(url);
  const loaded = page.toString().matchAll(/<(?:link|script|img)[^>]* (?:href|src)="(\/[^"]+)"/g);
  let weight = page.length;
  for (const [, path = ""] of loaded) weight += await weightOf(`${server.origin}${path}`);
  return weight;
}

test("every page is smaller than 60 kB in every language, with everything that it loads, uncompressed", async () => {
  const weights: (readonly [string, number])[] = [];
  for (const name of server.names) {
    for (const tag of server.tags) weights.push([`${name} ${tag}`, await wholeWeight(server.urlOf(name, tag))]);
  }
  expect(weights.filter(([, weight]) => weight >= limitBytes)).toEqual([]);
  // At least the stylesheet and the script were counted.
  expect(weighed.size).toBeGreaterThanOrEqual(2);
  expect(Math.min(...weights.map(([, weight]) => weight))).toBeGreaterThan(10_000);
});
