import { open, stat } from "node:fs/promises";

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

async function readWhole(file: string, maxBytes: number): Promise<Buffer> {
  await using handle = await open(file);
  const { size } = await handle.stat();
  if (size > maxBytes) throw new RangeError(`larger than ${maxBytes} bytes`);
  return await handle.readFile();
}

/**
 * A file of the operator, which is read again when it is replaced. A broken replacement leaves the content before in use.
 *
 * @param file empty for none
 * @param maxBytes larger files are a problem
 */
export function createReplacedFile<Content>(
  file: string,
  maxBytes: number,
  parse: (content: Buffer) => Promise<Content>,
  on: { readonly read: (content: Content) => void; readonly problem: (error: unknown) => void },
) {
  let content: Content | undefined;
  let version = "";
  const load = async (): Promise<boolean> => {
    const { mtimeMs, size, ino } = await stat(file);
    const found = `${ino} ${size} ${mtimeMs}`;
    if (found === version) return false;
    version = found;
    const next = await parse(await readWhole(file, maxBytes));
    content = next;
    on.read(next);
    return true;
  };
  return {
    /** Undefined while there is no file, or none that could be read. */
    current: (): Content | undefined => content,
    /** Never rejects. @returns whether another content is in use now */
    refresh: async (): Promise<boolean> => {
      if (file === "") return false;
      try {
        return await load();
      } catch (error) {
        // A file that the operator removes is not used any longer.
        const wasRead = content !== undefined;
        if (isMissing(error)) {
          content = undefined;
          version = "";
          return wasRead;
        }
        on.problem(error);
        return false;
      }
    },
  };
}
