import { readFileSync } from "node:fs";
import { Agent, type AgentOptions, request } from "node:http";
import { serialMark } from "../stack/serial-mark.ts";
import { percentile } from "./percentile.ts";
import { basicAuthorization } from "./wrk.ts";
import type { GeneratorReport } from "./wrk-output.ts";

export interface FixedRateLoad {
  readonly url: string;
  /** One JSON request per line; sent in turn. `serialMark` is replaced by the number of the request. */
  readonly bodiesFile: string;
  readonly connections: number;
  readonly perSecond: number;
}

const giveUpMs = 10_000;
/** Node's shortest timer. */
const tickMs = 1;

interface Target {
  readonly agent: Agent;
  readonly url: URL;
}

function send({ agent, url }: Target, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      authorization: basicAuthorization,
    };
    const sent = request(url, { method: "POST", agent, headers, timeout: giveUpMs }, (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode ?? 0));
      response.once("error", reject);
    });
    sent.once("timeout", () => sent.destroy(new Error("no answer")));
    sent.once("error", reject);
    sent.end(body);
  });
}

interface Totals {
  readonly times: number[];
  refused: number;
  socketErrors: number;
}

async function sendOne(target: Target, body: string, totals: Totals): Promise<void> {
  const due = performance.now();
  try {
    const status = await send(target, body);
    if (status >= 400) totals.refused += 1;
    totals.times.push(performance.now() - due);
  } catch {
    totals.socketErrors += 1;
  }
}

function bodiesOf(file: string): (serial: number) => string {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const base = Date.now() * 1000;
  return (serial) => {
    const line = lines[serial % lines.length] ?? "";
    return line.replace(serialMark, String(base + serial).padStart(serialMark.length, "0"));
  };
}

/**
 * Sends requests at a fixed rate, whether or not earlier ones have been answered. A request that finds all connections busy waits, and that
 * time counts, so that a stall of the server affects every request that was due in it.
 */
export async function runAtFixedRate(load: FixedRateLoad, seconds: number): Promise<GeneratorReport> {
  const { url, bodiesFile, connections, perSecond } = load;
  // Connections take turns, as those of many mail servers do.
  const options: AgentOptions = { keepAlive: true, maxSockets: connections, scheduling: "fifo" };
  const target = { agent: new Agent(options), url: new URL(url) };
  const bodyOf = bodiesOf(bodiesFile);
  const totals: Totals = { times: [], refused: 0, socketErrors: 0 };
  const wanted = Math.round(perSecond * seconds);
  const pending: Promise<void>[] = [];
  const started = performance.now();
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const due = Math.min(wanted, Math.floor(((performance.now() - started) * perSecond) / 1000));
      while (pending.length < due) pending.push(sendOne(target, bodyOf(pending.length), totals));
      if (due < wanted) return;
      clearInterval(timer);
      resolve();
    }, tickMs);
  });
  await Promise.all(pending);
  target.agent.destroy();
  const sorted = totals.times.toSorted((a, b) => a - b);
  return {
    requests: sorted.length,
    seconds: (performance.now() - started) / 1000,
    p50Ms: percentile(sorted, 50),
    p99Ms: percentile(sorted, 99),
    refused: totals.refused,
    socketErrors: totals.socketErrors,
  };
}
