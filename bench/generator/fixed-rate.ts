import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
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

/** Connections that take turns, as those of many mail servers do: a request uses the one that has been idle longest, or waits for one. */
class Connections {
  private readonly idle: Agent[];
  private readonly all: readonly Agent[];
  private readonly waiting: ((agent: Agent) => void)[] = [];

  constructor(count: number) {
    this.all = Array.from({ length: count }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
    this.idle = [...this.all];
  }

  async take(): Promise<Agent> {
    return this.idle.shift() ?? new Promise((resolve) => this.waiting.push(resolve));
  }

  release(agent: Agent): void {
    const next = this.waiting.shift();
    if (next === undefined) this.idle.push(agent);
    else next(agent);
  }

  close(): void {
    for (const agent of this.all) agent.destroy();
  }
}

interface Target {
  readonly connections: Connections;
  readonly url: URL;
}

function send(agent: Agent, url: URL, body: string): Promise<number> {
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
  const agent = await target.connections.take();
  try {
    const status = await send(agent, target.url, body);
    if (status >= 400) totals.refused += 1;
    totals.times.push(performance.now() - due);
  } catch {
    totals.socketErrors += 1;
  } finally {
    target.connections.release(agent);
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
  const { url, bodiesFile, perSecond } = load;
  const target = { connections: new Connections(load.connections), url: new URL(url) };
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
  target.connections.close();
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
