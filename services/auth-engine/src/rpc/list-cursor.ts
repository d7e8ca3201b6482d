import { AppError } from "@postern/shared/errors";

/** Where a listing goes on: in which directory, of which order of directories, and where in it. */
export interface ListCursor {
  readonly order: string;
  readonly index: number;
  /** The directory's own; absent at its begin. */
  readonly position?: string | undefined;
}

export function formatListCursor({ order, index, position }: ListCursor): string {
  return JSON.stringify(position === undefined ? [order, index] : [order, index, position]);
}

function readFields(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(cursor);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

/** Throws `REQUEST_MALFORMED` for what `formatListCursor` did not write. */
export function parseListCursor(cursor: string): ListCursor {
  const [order, index, position] = readFields(cursor);
  const isIndex = typeof index === "number" && Number.isSafeInteger(index) && index >= 0;
  if (typeof order !== "string" || !isIndex) throw new AppError("REQUEST_MALFORMED", { detail: "no list cursor" });
  if (position === undefined) return { order, index };
  if (typeof position !== "string") throw new AppError("REQUEST_MALFORMED", { detail: "no list cursor" });
  return { order, index, position };
}
