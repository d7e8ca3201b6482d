import { type Logger, symbols } from "pino";
import { createTimestamp } from "./timestamp.ts";

/** A value of a field; undefined leaves the field out, as JSON does. */
export type LineValue = string | number | boolean | undefined;

/** Writes one kind of line. The values are in the order of its fields. */
export type WriteLine = (values: readonly LineValue[]) => void;

/** Characters that JSON writes as they are. */
const plain = /^[ !#-[\]-~]*$/;

function jsonValue(value: string | number | boolean): string {
  if (typeof value === "string") return JSON.stringify(value);
  return typeof value === "number" && !Number.isFinite(value) ? "null" : String(value);
}

interface LineStream {
  write(line: string): unknown;
}

function isStream(value: unknown): value is LineStream {
  return typeof value === "object" && value !== null && "write" in value && typeof value.write === "function";
}

interface LineParts {
  readonly fields: readonly string[];
  readonly msg: string;
}

/**
 * A line of level info that is written for each request, without pino's price for lines of any shape: the same bytes
 * as `logger.info(fields, msg)` into the same stream, and every text escaped as JSON.
 */
export function createLineWriter(logger: Logger, { fields, msg }: LineParts): WriteLine {
  const stream: unknown = Reflect.get(logger, symbols.streamSym);
  if (!isStream(stream)) throw new TypeError("the logger has no stream");
  const bindings = String(Reflect.get(logger, symbols.chindingsSym));
  const timestamp = createTimestamp();
  const names = fields.map((field) => `,${JSON.stringify(field)}:`);
  const textNames = names.map((name) => `${name}"`);
  const end = `,"msg":${JSON.stringify(msg)}}\n`;
  return (values) => {
    if (!logger.isLevelEnabled("info")) return;
    let line = `{"level":"info"${timestamp()}${bindings}`;
    for (let index = 0; index < names.length; index += 1) {
      const value = values[index];
      if (value === undefined) continue;
      if (typeof value === "string" && plain.test(value)) line = `${line}${textNames[index]}${value}"`;
      else line = `${line}${names[index]}${jsonValue(value)}`;
    }
    stream.write(line + end);
  };
}
