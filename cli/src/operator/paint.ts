import type { Writable } from "node:stream";
import { styleText } from "node:util";

export type Colour = "green" | "yellow" | "red" | "magenta" | "cyan" | "dim" | "bold" | "inverse";

/** Colours a text where the output shows colours, as `NO_COLOR` and `FORCE_COLOR` say; a colour never says what no word says. */
export type Paint = (colour: Colour, text: string) => string;

export function painter(stream: Writable): Paint {
  return (colour, text) => styleText(colour, text, { stream });
}

const segments = new Intl.Segmenter();

/** Characters as people count them. */
export function charactersOf(text: string): readonly string[] {
  return Array.from(segments.segment(text), ({ segment }) => segment);
}

/** Shortened to this number of characters. */
export function cut(text: string, columns: number): string {
  // No character is shorter than its code.
  if (text.length <= columns) return text;
  const characters = charactersOf(text);
  if (characters.length <= columns) return text;
  return columns <= 0 ? "" : `${characters.slice(0, columns - 1).join("")}…`;
}

/** Exactly this number of characters. */
export function fitted(text: string, columns: number): string {
  const shown = cut(text, columns);
  return shown + " ".repeat(Math.max(0, columns - charactersOf(shown).length));
}

/** In lines of at most this number of characters, broken at blanks; the last one is shortened. */
export function wrapped(text: string, columns: number, atMost: number): readonly string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > columns && lines.length + 1 < atMost) {
    const blank = rest.lastIndexOf(" ", columns);
    const end = blank > 0 ? blank : columns;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, cut(rest, columns)];
}
