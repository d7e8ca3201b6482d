import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { join, posix } from "node:path";

/** A file of a bundle, as a path from the repository's root, and the position in it. */
const bundledPlace = /(?:file:\/\/)?[^\s()"]*?((?:services\/[a-z-]+|cli)\/dist\/bundle\/[\w./-]+\.js):(\d+):(\d+)/gu;

/**
 * Replaces each position in a bundle with that of the source. `readMap` returns the text of the file's source map; if it is undefined, the
 * position is left unchanged.
 */
export function createSourcePlaces(readMap: (bundle: string) => string | undefined): (text: string) => string {
  const maps = new Map<string, SourceMap | undefined>();
  const mapOf = (bundle: string): SourceMap | undefined => {
    if (!maps.has(bundle)) {
      const text = readMap(bundle);
      maps.set(bundle, text === undefined ? undefined : new SourceMap(JSON.parse(text)));
    }
    return maps.get(bundle);
  };
  return (text) =>
    text.replaceAll(bundledPlace, (place, bundle: string, line: string, column: string) => {
      const origin = mapOf(bundle)?.findOrigin(Number(line), Number(column));
      if (origin === undefined || !("fileName" in origin)) return place;
      return `${posix.join(posix.dirname(bundle), origin.fileName)}:${origin.lineNumber}:${origin.columnNumber}`;
    });
}

/** Translates with the maps beside the bundles of the repository at `root`. */
export function sourcePlacesIn(root: string): (text: string) => string {
  return createSourcePlaces((bundle) => {
    const file = join(root, `${bundle}.map`);
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  });
}
