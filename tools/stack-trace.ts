// Puts the places of the source in stack traces of bundles. Usage: tools/stack-trace.ts < log
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createSourcePlaces } from "./bundle/source-places.ts";

const root = join(import.meta.dirname, "..");
const sourcePlaces = createSourcePlaces((bundle) => {
  const file = join(root, `${bundle}.map`);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
});

process.stdout.write(sourcePlaces(await text(process.stdin)));
