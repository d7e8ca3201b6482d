import { StringDecoder } from "node:string_decoder";

/** Services write shorter lines. */
export const longestLine = 64 * 1024;

/** Lines of a log of any size, and null for each that is longer than `longestLine`: no file may fill the memory. */
export async function* logLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string | null> {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  let isSkipping = false;
  for await (const chunk of chunks) {
    const lines = decoder.write(chunk).split("\n");
    const last = lines.pop() ?? "";
    for (const line of lines) {
      const whole = rest + line;
      rest = "";
      if (!isSkipping) yield whole.length > longestLine ? null : whole;
      isSkipping = false;
    }
    if (isSkipping) continue;
    rest += last;
    if (rest.length <= longestLine) continue;
    yield null;
    rest = "";
    isSkipping = true;
  }
  if (rest !== "" && !isSkipping) yield rest;
}
