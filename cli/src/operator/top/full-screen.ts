import { emitKeypressEvents } from "node:readline";
import type { Screen } from "../screen.ts";
import type { Key } from "./top-state.ts";

// The other screen, no cursor, and no new line at the right margin, so that a character of two columns moves nothing.
const enter = "\u001B[?1049h\u001B[?25l\u001B[?7l\u001B[H\u001B[J";
const leave = "\u001B[?7h\u001B[?25h\u001B[?1049l";

/** The whole terminal, until `close`, which restores it as it was; so does the end of the process. */
export function openFullScreen(
  { input, output }: Screen,
  { onKey, onResize }: { readonly onKey: (key: Key) => void; readonly onResize: () => void },
) {
  let isOpen = true;
  const key = (_text: string | undefined, pressed: Key): void => onKey(pressed);
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    process.off("exit", close);
    input.off("keypress", key);
    output.off("resize", onResize);
    input.setRawMode?.(false);
    input.pause();
    output.write(leave);
  };
  // Also if an error ends the process.
  process.on("exit", close);
  emitKeypressEvents(input);
  input.setRawMode?.(true);
  input.on("keypress", key);
  input.resume();
  output.on("resize", onResize);
  output.write(enter);
  return {
    size: () => ({ columns: output.columns || 80, rows: output.rows || 24 }),
    /** Replaces what is shown. Lines below the last row are left out. */
    draw: (lines: readonly string[]): void => {
      if (!isOpen) return;
      const shown = lines.slice(0, output.rows || 24).map((line) => `${line}\u001B[0m\u001B[K`);
      output.write(`\u001B[H${shown.join("\r\n")}\u001B[J`);
    },
    close,
  };
}
