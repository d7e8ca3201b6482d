// Takes pictures of every page that the developer UI lists. Usage: tools/screenshots.ts [--out FOLDER] [--language TAG] [--only PAGE]…
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { launchChromium } from "./pages/chromium.ts";
import { startPageServer } from "./pages/page-server.ts";
import { headingOf, type PicturedPage, pictureList, picturesFolder } from "./pages/picture-list.ts";
import { sheetOf } from "./pages/sheet.ts";

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      out: { type: "string", default: picturesFolder },
      language: { type: "string", default: "en" },
      only: { type: "string", multiple: true },
    },
  });
  await using server = await startPageServer();
  await using browser = await launchChromium();
  mkdirSync(values.out, { recursive: true });
  const pictured: PicturedPage[] = [];
  const pages = [
    ...server.names.map((name) => [name, server.urlOf(name, values.language)] as const),
    ...server.statusUrls(values.language),
    ...server.consoleUrls,
  ];
  const chosen = pages.filter(([name]) => values.only === undefined || values.only.includes(name));
  for (const [name, url] of chosen) {
    const sheet = await sheetOf(browser, url);
    writeFileSync(join(values.out, `${name}.webp`), sheet);
    pictured.push({ name, title: headingOf(await (await fetch(url)).text()) });
    console.log(`${name}.webp ${Math.round(sheet.length / 1024)} KiB`);
  }
  if (values.only === undefined) writeFileSync(join(values.out, "README.md"), pictureList(pictured));
}

await main();
