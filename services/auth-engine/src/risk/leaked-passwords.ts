import { hash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { within } from "@postern/shared/platform/concurrency";

/** A line with a digest and a count is shorter. */
const blockBytes = 256;
const usualTimeoutMs = 500;
const maxAtOnce = 32;
/** A file may keep only the first digits of each digest; with fewer than these, different passwords would look leaked. */
const minDigits = 16;
const line = /^([0-9A-F]{16,40})(?::\d+)?$/iu;

interface Line {
  readonly digest: string;
  /** Where the next line begins. */
  readonly end: number;
}

/** The first whole line at or after a position; the line that begins there if the position is 0. */
async function lineAfter(file: FileHandle, position: number): Promise<Line | undefined> {
  const start = Math.max(0, position - 1);
  const { bytesRead, buffer } = await file.read(Buffer.alloc(blockBytes), 0, blockBytes, start);
  const text = buffer.toString("latin1", 0, bytesRead);
  const from = position === 0 ? 0 : text.indexOf("\n") + 1;
  if (position > 0 && from === 0) return undefined;
  const newline = text.indexOf("\n", from);
  const to = newline === -1 ? text.length : newline;
  const [, digest] = line.exec(text.slice(from, to).trimEnd()) ?? [];
  return digest === undefined || digest.length < minDigits
    ? undefined
    : { digest: digest.toUpperCase(), end: start + to + 1 };
}

async function search(file: FileHandle, wanted: string): Promise<boolean> {
  let low = 0;
  let high = (await file.stat()).size;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = await lineAfter(file, middle);
    if (found === undefined) {
      high = middle;
      continue;
    }
    const part = wanted.slice(0, found.digest.length);
    if (found.digest === part) return true;
    if (found.digest < part) low = Math.max(middle + 1, found.end);
    else high = middle;
  }
  return false;
}

/** The file is opened for each password, so that a replaced one is used immediately. */
export function createLeakedPasswords(
  path: string,
  onProblem: (error: unknown) => void,
  timeoutMs: number = usualTimeoutMs,
) {
  let running = 0;
  let hasFailed = false;
  const look = async (password: string): Promise<boolean> => {
    await using file = await open(path);
    return await search(file, hash("sha1", password, "hex").toUpperCase());
  };
  return {
    /** Undefined if the file is absent, unreadable or too slow: that raises no signal. Never rejects. */
    contains: async (password: string): Promise<boolean | undefined> => {
      if (running >= maxAtOnce) return undefined;
      running += 1;
      // A search that hangs occupies its place until it ends.
      const searching = look(password).finally(() => {
        running -= 1;
      });
      try {
        const found = await within(searching, timeoutMs);
        hasFailed = false;
        return found;
      } catch (error) {
        // One report for each outage.
        if (!hasFailed) onProblem(error);
        hasFailed = true;
        return undefined;
      }
    },
  };
}

/** Compares passwords with a sorted file of SHA-1 digests, without reading all of it. */
export type LeakedPasswords = ReturnType<typeof createLeakedPasswords>;
