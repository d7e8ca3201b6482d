import { Agent, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { percentile } from "./percentile.ts";
import type { GeneratorReport } from "./wrk-output.ts";

/** One request of a browser that delivers a service provider's message. */
export interface SignIn {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number;
  readonly hasResponse: boolean;
}

const giveUpMs = 5000;

function ask(agent: Agent, port: number, { path, headers }: SignIn): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, headers, agent, timeout: giveUpMs }, (response) => {
      let hasResponse = false;
      response.on("data", (chunk: Buffer) => {
        hasResponse ||= chunk.includes('name="SAMLResponse"');
      });
      response.once("end", () => resolve({ status: response.statusCode ?? 0, hasResponse }));
      response.once("error", reject);
    });
    sent.once("timeout", () => sent.destroy(new Error("no answer")));
    sent.once("error", reject);
    sent.end();
  });
}

/** Sends each request once over `connections` parallel connections, until the requests or the seconds are used up. */
export async function runSignIns(
  port: number,
  signIns: readonly SignIn[],
  { connections, seconds }: { readonly connections: number; readonly seconds: number },
): Promise<GeneratorReport & { readonly used: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const times: number[] = [];
  let used = 0;
  let refused = 0;
  let socketErrors = 0;
  const started = performance.now();
  const one = async (): Promise<void> => {
    while (performance.now() - started < seconds * 1000) {
      const next = signIns[used];
      if (next === undefined) return;
      used += 1;
      const began = performance.now();
      try {
        const { status, hasResponse } = await ask(agent, port, next);
        if (status !== 200 || !hasResponse) refused += 1;
        times.push(performance.now() - began);
      } catch {
        socketErrors += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
  agent.destroy();
  const sorted = times.toSorted((a, b) => a - b);
  return {
    requests: times.length,
    seconds: (performance.now() - started) / 1000,
    p50Ms: percentile(sorted, 50),
    p99Ms: percentile(sorted, 99),
    refused,
    socketErrors,
    used,
  };
}

/** Sends the requests at a fixed rate, whether or not earlier ones have been answered. Returns the number of those without a response for the service provider. */
export async function signInAtRate(port: number, signIns: readonly SignIn[], perSecond: number): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  const sent = signIns.map(async (signIn, index) => {
    await delay((index * 1000) / perSecond);
    const { status, hasResponse } = await ask(agent, port, signIn);
    return status === 200 && hasResponse;
  });
  const answers = await Promise.all(sent.map((one) => one.catch(() => false)));
  agent.destroy();
  return answers.filter((isRight) => !isRight).length;
}
