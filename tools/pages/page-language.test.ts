import { writtenTag } from "@postern/shared/domain/localisation";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PageServer, startPageServer } from "./page-server.ts";

let server: PageServer;

beforeAll(async () => {
  server = await startPageServer();
});

afterAll(() => server[Symbol.asyncDispose]());

const bodyOf = async (url: string): Promise<string> => (await fetch(url)).text();

test("a page declares the language of its texts, and each link to another language declares that one", async () => {
  const lists = await Promise.all(
    server.tags.map(async (tag) => {
      const page = await bodyOf(server.urlOf("login", tag));
      return [
        /<html lang="([^"]+)"/.exec(page)?.[1],
        [...page.matchAll(/<a [^>]*hreflang="([^"]+)" lang="\1"/g)],
      ] as const;
    }),
  );
  const written = server.tags.map(writtenTag);
  expect(lists.map(([lang]) => lang)).toEqual(written);
  for (const [, links] of lists) expect(links.map(([, lang]) => lang)).toEqual(written);
});

test("Chinese and Japanese pages name their own fonts before those of the system's language", async () => {
  const page = await bodyOf(server.urlOf("login", "ja"));
  const [, path = ""] = /<link rel="stylesheet" href="([^"]+)"/.exec(page) ?? [];
  const style = await bodyOf(`${server.origin}${path}`);
  for (const [tag, font] of [
    ["zh", "Noto Sans CJK SC"],
    ["ja", "Noto Sans CJK JP"],
  ]) {
    const [, fonts = ""] =
      new RegExp(`html\\[lang\\|=${tag}\\] body,a\\[lang\\|=${tag}\\]\\{font-family:([^}]+)`).exec(style) ?? [];
    expect(fonts).toContain(font);
    expect(fonts).not.toContain("system-ui");
  }
});
