import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type GeneratorReport, parseWrkOutput } from "./wrk-output.ts";

const script = fileURLToPath(new URL("post.lua", import.meta.url));

/** Format of a file of requests: JSON, CBOR in hex, or headers separated by tabs. */
export type RequestFormat = "json" | "cbor" | "header";

export interface Load {
  readonly url: string;
  /** One request per line; sent in turn. */
  readonly bodiesFile: string;
  readonly connections: number;
  /** Default: JSON. Forms are OAuth's. */
  readonly format?: RequestFormat | "form" | undefined;
  /**
   * The caller's `Authorization`; default: Basic. `none` sends none, `@` and a file name sends the file's lines in turn.
   */
  readonly authorization?: string | undefined;
}

/** The caller's `Authorization` where nothing else is said. */
export const basicAuthorization = `Basic ${Buffer.from("backchannel:bench-backchannel-secret").toString("base64")}`;

async function run(args: readonly string[], seconds: number): Promise<GeneratorReport> {
  const { stdout } = await promisify(execFile)("wrk", [...args], { timeout: seconds * 1000 + 20_000 });
  return parseWrkOutput(stdout);
}

const oneThread = (connections: number, seconds: number): readonly string[] => [
  "-t",
  "1",
  "-c",
  `${connections}`,
  "-d",
  `${seconds}s`,
  "--timeout",
  "10s",
  "--latency",
];

/** Sends POSTs from one thread for the given number of seconds. Rejects if wrk fails or prints no result. */
export async function runWrk(load: Load, seconds: number): Promise<GeneratorReport> {
  const { url, bodiesFile, connections, format = "json", authorization = basicAuthorization } = load;
  const requests = [bodiesFile, format, authorization === "none" ? "-" : authorization];
  return run([...oneThread(connections, seconds), "-s", script, url, "--", ...requests], seconds);
}

/** Requests the same page repeatedly as one browser. */
export interface PageLoad {
  readonly url: string;
  readonly cookie: string;
  readonly connections: number;
}

/** Sends GETs from one thread for the given number of seconds. */
export async function runWrkOnPage({ url, cookie, connections }: PageLoad, seconds: number): Promise<GeneratorReport> {
  return run([...oneThread(connections, seconds), "-H", `Cookie: ${cookie}`, url], seconds);
}
