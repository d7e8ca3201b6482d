import { readdirSync, readFileSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { unlessAborted } from "@postern/shared/platform/concurrency";
import type { LogoFile } from "./assets.ts";
import { pageList } from "./page-list.ts";
import { createSiteTemplates, type SiteTemplates } from "./site-templates.ts";

const largestLogoBytes = 65_536;

function endingOf(file: string): LogoFile["ending"] {
  const ending = extname(file).slice(1).toLowerCase();
  if (ending !== "svg" && ending !== "png" && ending !== "webp")
    throw new RangeError(`${file}: unsupported file type; use .svg, .png or .webp`);
  return ending;
}

function checkSize(file: string, bytes: number): void {
  if (bytes > largestLogoBytes) throw new RangeError(`${file}: must not be larger than ${largestLogoBytes} bytes`);
}

/** @throws Error for a file that cannot be read, is too large, or is not svg, png or webp */
export function readLogo(file: string): LogoFile | undefined {
  if (file === "") return undefined;
  const ending = endingOf(file);
  const body = readFileSync(file);
  checkSize(file, body.length);
  return { ending, body };
}

/** No page waits longer for a file system. */
const readTimeoutMs = 2000;

/** As `readLogo`, while pages are served. Rejects for a file that is not a regular one, too. */
export async function loadLogo(file: string): Promise<LogoFile | undefined> {
  if (file === "") return undefined;
  const ending = endingOf(file);
  const read = async (): Promise<LogoFile> => {
    const stats = await stat(file);
    if (!stats.isFile()) throw new RangeError(`${file}: not a file`);
    checkSize(file, stats.size);
    const body = await readFile(file);
    checkSize(file, body.length);
    return { ending, body };
  };
  return unlessAborted(read(), AbortSignal.timeout(readTimeoutMs));
}

/**
 * Reads `<page>.mustache` files. An unknown page name is rejected, because the mistake would otherwise go unnoticed.
 *
 * @throws Error for a folder or file that cannot be read, a page that does not exist, or invalid Mustache
 */
export function readTemplates(folder: string): SiteTemplates {
  if (folder === "") return createSiteTemplates(new Map());
  const files = readdirSync(folder).filter((file) => file.endsWith(".mustache"));
  const templates = files.map((file) => {
    const name = file.slice(0, -".mustache".length);
    if (!pageList.some((page) => page.name === name))
      throw new RangeError(`${join(folder, file)}: there is no page named ${name}`);
    return [name, readFileSync(join(folder, file), "utf8")] as const;
  });
  return createSiteTemplates(new Map(templates));
}
