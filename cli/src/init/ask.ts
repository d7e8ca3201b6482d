import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import type { Terminal } from "../read-password.ts";

export interface Question {
  readonly text: string;
  /** Used for an empty answer; undefined if an answer is required. */
  readonly fallback?: string | undefined;
  /** The answer is not shown while it is typed. */
  readonly isSecret?: boolean | undefined;
}

/** Asks on the terminal. Without a terminal it returns the default. */
export type Ask = (question: Question) => Promise<string | undefined>;

/** Questions go to the terminal's output; answers come from its input, if it is a terminal. */
export function createAsk({ input, output }: Terminal): Ask & AsyncDisposable {
  let isSilent = false;
  const echo = new Writable({
    write(chunk, _encoding, done) {
      if (!isSilent) output.write(chunk);
      done();
    },
  });
  const lines = input.isTTY === true ? createInterface({ input, output: echo, terminal: true }) : undefined;
  const ask: Ask = async ({ text, fallback, isSecret = false }) => {
    if (lines === undefined) return fallback;
    output.write(fallback === undefined || fallback === "" ? `${text}: ` : `${text} [${fallback}]: `);
    isSilent = isSecret;
    const answer = (await lines.question("")).trim();
    isSilent = false;
    if (isSecret) output.write("\n");
    return answer === "" ? fallback : answer;
  };
  return Object.assign(ask, {
    [Symbol.asyncDispose]: async () => lines?.close(),
  });
}
