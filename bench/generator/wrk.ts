import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type GeneratorReport, parseWrkOutput } from "./wrk-output.ts";

const script = fileURLToPath(new URL("post.lua", import.meta.url));

/** How the lines of a file of requests are written: JSON, CBOR in hex, headers with tabs between them. */
export type RequestFormat = "json" | "cbor" | "header";

export interface Load {
  readonly url: string;
  /** One request a line; sent in turn. */
  readonly bodiesFile: string;
  readonly connections: number;
  /** JSON when absent; forms as OAuth has them. */
  readonly format?: RequestFormat | "form" | undefined;
  /** The caller's `Authorization`, Basic when absent; `none` sends none, `@` and a file sends its lines in turn. */
  readonly authorization?: string | undefined;
}

const basicAuthorization = `Basic ${Buffer.from("backchannel:bench-backchannel-secret").toString("base64")}`;

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

/** POSTs from one thread for so many seconds. Rejects when wrk fails or prints no result. */
export async function runWrk(load: Load, seconds: number): Promise<GeneratorReport> {
  const { url, bodiesFile, connections, format = "json", authorization = basicAuthorization } = load;
  const requests = [bodiesFile, format, authorization === "none" ? "-" : authorization];
  return run([...oneThread(connections, seconds), "-s", script, url, "--", ...requests], seconds);
}

/** The same page again and again, as one browser. */
export interface PageLoad {
  readonly url: string;
  readonly cookie: string;
  readonly connections: number;
}

/** GETs from one thread for so many seconds. */
export async function runWrkOnPage({ url, cookie, connections }: PageLoad, seconds: number): Promise<GeneratorReport> {
  return run([...oneThread(connections, seconds), "-H", `Cookie: ${cookie}`, url], seconds);
}
