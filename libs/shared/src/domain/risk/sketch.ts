/**
 * The approximate number of different things, in 32 hexadecimal digits at most (linear counting over 128 bits). The
 * empty text is the empty sketch, which most accounts have.
 */
export type Sketch = string;

const bits = 128;
const digits = bits / 4;
const form = new RegExp(`^[0-9a-f]{${digits}}$`);
const setBits: readonly number[] = Array.from({ length: 16 }, (_, digit) =>
  [1, 2, 4, 8].reduce((sum, bit) => sum + ((digit & bit) === 0 ? 0 : 1), 0),
);

export function isSketch(text: string): boolean {
  return text === "" || form.test(text);
}

/** The bit of an identifier (FNV-1a). Identifiers are keyed digests, so their bits cannot be chosen. */
function bitOf(id: string): number {
  let value = 2_166_136_261;
  for (let index = 0; index < id.length; index += 1) value = Math.imul(value ^ id.charCodeAt(index), 16_777_619);
  return ((value >>> 16) ^ value) & (bits - 1);
}

/** Returns the text unchanged if the sketch contains the identifier already. */
export function addToSketch(sketch: Sketch, id: string): Sketch {
  const full = sketch === "" ? "0".repeat(digits) : sketch;
  const bit = bitOf(id);
  const at = Math.floor(bit / 4);
  const digit = Number.parseInt(full.charAt(at), 16);
  const raised = digit | (1 << (bit % 4));
  return raised === digit ? sketch : full.slice(0, at) + raised.toString(16) + full.slice(at + 1);
}

/** Everything that one of two sketches contains. */
export function joinSketches(one: Sketch, other: Sketch): Sketch {
  if (one === "" || other === "") return one === "" ? other : one;
  const digit = (sketch: Sketch, at: number): number => Number.parseInt(sketch.charAt(at), 16);
  return Array.from({ length: digits }, (_, at) => (digit(one, at) | digit(other, at)).toString(16)).join("");
}

/** Estimated number of different identifiers; exact for a few, and at most about 600. */
export function countOfSketch(sketch: Sketch): number {
  if (sketch === "") return 0;
  let set = 0;
  for (const digit of sketch) set += setBits[Number.parseInt(digit, 16)] ?? 0;
  return Math.round(-bits * Math.log(Math.max(1, bits - set) / bits));
}
