import { open, stat } from "node:fs/promises";
import { pipeline, Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { createGunzip } from "node:zlib";
import { longestLine } from "../risk-replay/log-lines.ts";

/** The text of a larger one would not be collected with what is young. */
const chunkSize = 1 << 16;

/** A log as it is read. */
export interface LogSource {
  /** Bytes of the file; undefined for standard input. */
  readonly size: number | undefined;
  /** Bytes that have been read. */
  readonly readBytes: () => number;
  readonly chunks: AsyncIterable<Buffer>;
}

/** @throws Error if there is no such file */
export async function openLog(name: string, input: AsyncIterable<Buffer | string>): Promise<LogSource> {
  let bytes = 0;
  const counted = async function* (chunks: AsyncIterable<Buffer | string>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      const buffer = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
      bytes += buffer.length;
      yield buffer;
    }
  };
  const readBytes = (): number => bytes;
  if (name === "-") return { size: undefined, readBytes, chunks: counted(input) };
  const { size } = await stat(name);
  const file = await open(name);
  const whole = counted(file.createReadStream({ highWaterMark: chunkSize }));
  return { size, readBytes, chunks: name.endsWith(".gz") ? unpacked(whole) : whole };
}

function unpacked(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  const gunzip = createGunzip({ chunkSize });
  // An error is reported to the reader of the unpacked text.
  pipeline(Readable.from(chunks), gunzip, () => undefined);
  return gunzip;
}

/** Whole lines, many together; `tooLong` for lines that no service writes. No file may fill the memory. */
export async function* wholeLines(chunks: AsyncIterable<Buffer>, tooLong: () => void): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  let isSkipping = false;
  for await (const chunk of chunks) {
    let text = decoder.write(chunk);
    if (isSkipping) {
      const end = text.indexOf("\n");
      if (end < 0) continue;
      text = text.slice(end + 1);
      isSkipping = false;
    }
    const last = text.lastIndexOf("\n");
    if (last >= 0) {
      yield rest + text.slice(0, last + 1);
      rest = text.slice(last + 1);
    } else rest += text;
    if (rest.length <= longestLine) continue;
    tooLong();
    rest = "";
    isSkipping = true;
  }
  if (rest !== "") yield `${rest}\n`;
}
