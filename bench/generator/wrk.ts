import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type GeneratorReport, parseWrkOutput } from "./wrk-output.ts";

const script = fileURLToPath(new URL("post.lua", import.meta.url));

export interface Load {
  readonly url: string;
  /** One JSON body a line; sent in turn. */
  readonly bodiesFile: string;
  readonly connections: number;
}

/** POSTs from one thread for so many seconds. Rejects when wrk fails or prints no result. */
export async function runWrk({ url, bodiesFile, connections }: Load, seconds: number): Promise<GeneratorReport> {
  const args = ["-t", "1", "-c", `${connections}`, "-d", `${seconds}s`, "--timeout", "10s", "--latency"];
  const { stdout } = await promisify(execFile)("wrk", [...args, "-s", script, url, "--", bodiesFile], {
    timeout: seconds * 1000 + 20_000,
  });
  return parseWrkOutput(stdout);
}
