import { createInterface } from "node:readline";
import { type Readable, Writable } from "node:stream";
import { Secret } from "@postern/shared/platform/crypto";

/** Source of the password, and output for the prompt. */
export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable;
}

/** The first line of standard input, with a prompt and without echo on a terminal. Undefined if there is none. */
export async function readPassword({ input, output }: Terminal): Promise<Secret | undefined> {
  const isPerson = input.isTTY === true;
  if (isPerson) output.write("password (leave empty to only look the user up): ");
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: silent, terminal: isPerson });
  try {
    const { value, done } = await lines[Symbol.asyncIterator]().next();
    const isNone = done === true || (isPerson && value === "");
    return isNone ? undefined : new Secret(value);
  } finally {
    lines.close();
    if (isPerson) output.write("\n");
  }
}
