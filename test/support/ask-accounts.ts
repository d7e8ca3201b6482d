import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { poll } from "@postern/testing";
import type { ServiceProcess } from "./service-process.ts";
import { basicAuth } from "./stack.ts";

export interface AskAccountsOptions {
  readonly accept?: string;
  readonly body?: object;
}

interface AccountsRequest {
  readonly request: ClientRequest;
  readonly response: Promise<IncomingMessage>;
  /** Resolves when the connection is closed. */
  readonly closed: Promise<void>;
}

/** Sends `mode=list-accounts` to the JSON endpoint, for clients that disconnect early. */
export function beginAccounts(url: string, { accept, body = {} }: AskAccountsOptions = {}): AccountsRequest {
  const headers = {
    authorization: basicAuth,
    "content-type": "application/json",
    ...(accept === undefined ? undefined : { accept }),
  };
  const clientRequest = request(`${url}/api/v1/auth/json?mode=list-accounts`, {
    method: "POST",
    headers,
    agent: false,
  });
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    clientRequest.once("response", resolve);
    clientRequest.once("error", reject);
  });
  // A client that disconnects no longer waits for the response, whose rejection would otherwise be unhandled.
  response.catch(() => undefined);
  const closed = new Promise<void>((resolve) => clientRequest.once("close", () => resolve()));
  clientRequest.end(JSON.stringify(body));
  return { request: clientRequest, response, closed };
}

/** Sends `mode=list-accounts` to the JSON endpoint. The body of the response is not read yet. */
export async function askAccounts(url: string, options?: AskAccountsOptions): Promise<IncomingMessage> {
  return beginAccounts(url, options).response;
}

/** The whole body. Rejects if the connection ends before the body does. */
export async function wholeBody(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The first byte of the body. The rest stays unread in the socket. */
export async function firstBytes(response: IncomingMessage): Promise<Buffer> {
  await once(response, "readable");
  const chunk: unknown = response.read(1);
  return Buffer.isBuffer(chunk) ? chunk : Buffer.alloc(0);
}

/** Number of pages of accounts that an engine has read so far. */
export async function pagesRead(engine: ServiceProcess): Promise<number> {
  const metrics = await engine.metrics();
  const line = /service_engine_decision_seconds_count\{operation="list-accounts",outcome="ok"\} (\d+)/.exec(metrics);
  return Number(line?.[1] ?? 0);
}

/** Number of pages of accounts that the engines have read, once they read no more because the client does not. */
export async function pagesHeld(engines: readonly ServiceProcess[]): Promise<number> {
  const enough = 10;
  let seen = -1;
  let unchanged = 0;
  return poll("the engines to stop reading pages", async () => {
    const pages = (await Promise.all(engines.map(pagesRead))).reduce((sum, one) => sum + one, 0);
    unchanged = pages === seen ? unchanged + 1 : 0;
    seen = pages;
    return unchanged >= enough ? pages : undefined;
  });
}

/** Resident memory in MiB. */
export function residentMiB({ pid }: ServiceProcess): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kibibytes) / 1024;
}
