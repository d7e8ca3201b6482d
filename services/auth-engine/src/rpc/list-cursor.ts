import { AppError } from "@postern/shared/platform/errors";

/** Where a listing continues: the order of the backends, the backend, and the position in it. */
export interface ListCursor {
  readonly order: string;
  readonly index: number;
  /** The backend's own position; absent at its beginning. */
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

/** Throws `REQUEST_MALFORMED` for anything that `formatListCursor` did not write. */
export function parseListCursor(cursor: string): ListCursor {
  const [order, index, position] = readFields(cursor);
  const isIndex = typeof index === "number" && Number.isSafeInteger(index) && index >= 0;
  if (typeof order !== "string" || !isIndex) throw new AppError("REQUEST_MALFORMED", { detail: "invalid list cursor" });
  if (position === undefined) return { order, index };
  if (typeof position !== "string") throw new AppError("REQUEST_MALFORMED", { detail: "invalid list cursor" });
  return { order, index, position };
}
