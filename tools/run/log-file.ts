import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";

const tailBytes = 8192;
const tailLines = 15;

export function logPath(folder: string, name: string): string {
  return join(folder, "logs", `${name}.log`);
}

/** The last lines of a log, indented for the terminal. */
export function logTail(folder: string, name: string): string {
  const file = openSync(logPath(folder, name), "r");
  try {
    const { size } = fstatSync(file);
    const buffer = Buffer.alloc(Math.min(size, tailBytes));
    readSync(file, buffer, 0, buffer.length, size - buffer.length);
    const lines = buffer.toString("utf8").trimEnd().split("\n").slice(-tailLines);
    return lines.map((line) => `    ${line}`).join("\n");
  } finally {
    closeSync(file);
  }
}
