import { type IncomingMessage, request } from "node:http";
import { request as requestTls } from "node:https";
import { text } from "node:stream/consumers";
import { poll } from "@postern/testing";
import { expect } from "vitest";
import { basicAuth, type Replica } from "../../support/stack.ts";

/** The address of the clients in these tests; the proxy and the gateways are 127.0.0.1. */
export const client = "127.0.0.9";

export interface Answer {
  readonly status: number;
  readonly body: string;
}

const read = async (response: IncomingMessage): Promise<Answer> => ({
  status: response.statusCode ?? 0,
  body: await text(response),
});

export type Headers = Readonly<Record<string, string>>;

export function ask(url: string, headers: Headers = {}, body?: string, localAddress = client): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const send = url.startsWith("https") ? requestTls : request;
    const method = body === undefined ? "GET" : "POST";
    const options = { method, headers, localAddress, rejectUnauthorized: false, agent: false } as const;
    send(url, options, (response) => resolve(read(response)))
      .once("error", reject)
      .end(body);
  });
}

export const lookUp = JSON.stringify({ username: "slow", protocol: "imap" });

interface SlowRequest {
  /** Sends the rest, and resolves to the status, or to the reason why there is none. */
  finish(): Promise<number | string>;
}

/** A request of which a part has been sent, so that the gateway is busy with it. */
function beginSlowly(back: string): SlowRequest {
  const headers = { authorization: basicAuth, "content-type": "application/json", "content-length": lookUp.length };
  const sent = request(`${back}/api/v1/auth/json?mode=no-auth`, {
    method: "POST",
    headers,
    localAddress: client,
    agent: false,
  });
  const result = new Promise<number | string>((resolve) => {
    sent.once("response", (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.once("error", (error) => resolve(String(error)));
  });
  sent.write(lookUp.slice(0, 10));
  return {
    finish: () => {
      sent.end(lookUp.slice(10));
      return result;
    },
  };
}

const connectionsOf = async (gateway: Replica["process"]): Promise<number> =>
  Number(/^nodejs_active_resources\{type="TCPSocketWrap"\} (\d+)/m.exec(await gateway.metrics())?.[1] ?? 0);

async function refuses(address: string): Promise<boolean> {
  return fetch(`http://${address}/ping`).then(
    () => false,
    (error: unknown) => error instanceof Error && String(error.cause).includes("ECONNREFUSED"),
  );
}

/** What becomes of slow requests while a gateway behind a proxy stops, and of new ones meanwhile. */
export async function drain(gateway: Replica, back: string): Promise<readonly (number | string)[]> {
  const before = await connectionsOf(gateway.process);
  const slow = Array.from({ length: 10 }, () => beginSlowly(back));
  await poll("the gateway to be busy", async () => (await connectionsOf(gateway.process)) > before);
  const stopped = gateway.process.stop();
  await poll("its listener to close", () => refuses(new URL(gateway.url).host));
  const statuses: (number | string)[] = [];
  // The checks of the proxies need this long to notice that its port is closed.
  const until = performance.now() + 3000;
  await poll("the proxy to notice", async () => {
    statuses.push((await ask(`${back}/ping`)).status);
    return performance.now() > until;
  });
  statuses.push(...(await Promise.all(slow.map((one) => one.finish()))));
  expect(await stopped).toBe(0);
  return statuses;
}
