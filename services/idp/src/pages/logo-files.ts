import { readFileSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { extname } from "node:path";
import { unlessAborted } from "@postern/shared/platform/concurrency";
import type { LogoFile } from "./assets.ts";

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
