import type { Writable } from "node:stream";
import { styleText } from "node:util";

export const colours = ["green", "yellow", "red", "magenta", "cyan", "dim", "bold", "inverse"] as const;
export type Colour = (typeof colours)[number];

/** Colours a text where the output shows colours, as `NO_COLOR` and `FORCE_COLOR` say; a colour never says what no word says. */
export type Paint = (colour: Colour, text: string) => string;

export function painter(stream: Writable): Paint {
  return (colour, text) => styleText(colour, text, { stream });
}

/** Shortened to this number of characters. */
export function cut(text: string, columns: number): string {
  const characters = [...text];
  if (characters.length <= columns) return text;
  return columns <= 0 ? "" : `${characters.slice(0, columns - 1).join("")}…`;
}

/** Exactly this number of characters. */
export function fitted(text: string, columns: number): string {
  const shown = cut(text, columns);
  return shown + " ".repeat(Math.max(0, columns - [...shown].length));
}
