// Takes pictures of every page that the developer UI lists. Usage: tools/screenshots.ts [--out FOLDER] [--language TAG] [PAGE …]
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { launchChromium } from "./pages/chromium.ts";
import { startPageServer } from "./pages/page-server.ts";
import { sheetOf } from "./pages/sheet.ts";

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      out: { type: "string", default: join(import.meta.dirname, "../docs/pages") },
      language: { type: "string", default: "en" },
    },
  });
  await using server = await startPageServer();
  await using browser = await launchChromium();
  mkdirSync(values.out, { recursive: true });
  for (const name of positionals.length === 0 ? server.names : positionals) {
    const sheet = await sheetOf(browser, server.urlOf(name, values.language));
    writeFileSync(join(values.out, `${name}.webp`), sheet);
    console.log(`${name}.webp ${Math.round(sheet.length / 1024)} KiB`);
  }
}

await main();
