import { open, stat } from "node:fs/promises";

export interface ReplacedFileDeps<Content> {
  /** Empty for none. */
  readonly file: string;
  /** Larger files are a problem. */
  readonly maxBytes: number;
  readonly parse: (content: Buffer) => Promise<Content>;
  readonly onRead: (content: Content) => void;
  readonly onProblem: (error: unknown) => void;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

async function readWhole(file: string, maxBytes: number): Promise<Buffer> {
  await using handle = await open(file);
  const { size } = await handle.stat();
  if (size > maxBytes) throw new RangeError(`larger than ${maxBytes} bytes`);
  return await handle.readFile();
}

/** A broken replacement leaves the content before in use. */
export function createReplacedFile<Content>(deps: ReplacedFileDeps<Content>) {
  const { file, maxBytes, parse, onRead, onProblem } = deps;
  let content: Content | undefined;
  let version = "";
  const load = async (): Promise<boolean> => {
    const { mtimeMs, size, ino } = await stat(file);
    const found = `${ino} ${size} ${mtimeMs}`;
    if (found === version) return false;
    version = found;
    const next = await parse(await readWhole(file, maxBytes));
    content = next;
    onRead(next);
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
        onProblem(error);
        return false;
      }
    },
  };
}

/** A file of the operator, which is read again when it is replaced. */
export type ReplacedFile<Content> = ReturnType<typeof createReplacedFile<Content>>;
