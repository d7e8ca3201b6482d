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
  /** JSON when absent. */
  readonly format?: RequestFormat | undefined;
  /** The caller's `Authorization`, Basic when absent; `none` sends none, `@` and a file sends its lines in turn. */
  readonly authorization?: string | undefined;
}

const basicAuthorization = `Basic ${Buffer.from("backchannel:bench-backchannel-secret").toString("base64")}`;

/** POSTs from one thread for so many seconds. Rejects when wrk fails or prints no result. */
export async function runWrk(load: Load, seconds: number): Promise<GeneratorReport> {
  const { url, bodiesFile, connections, format = "json", authorization = basicAuthorization } = load;
  const args = ["-t", "1", "-c", `${connections}`, "-d", `${seconds}s`, "--timeout", "10s", "--latency"];
  const requests = [bodiesFile, format, authorization === "none" ? "-" : authorization];
  const { stdout } = await promisify(execFile)("wrk", [...args, "-s", script, url, "--", ...requests], {
    timeout: seconds * 1000 + 20_000,
  });
  return parseWrkOutput(stdout);
}
