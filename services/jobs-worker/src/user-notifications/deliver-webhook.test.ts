import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { Secret } from "@postern/shared/platform/crypto";
import { freePort } from "@postern/testing";
import { describe, expect, test } from "vitest";
import { startCaptureServer } from "../../../../test/support/capture-server.ts";
import { createDeliverNotification } from "./deliver-notification.ts";

const secret = "a-secret-of-webhooks-0123456789";
const notification = { channel: "webhook", id: "notice-1", body: '{"event":"new_device","account":"bjørn"}' } as const;
const clock = { now: () => 1_614_265_330_900 };
const patience = 30_000;

interface Receiver extends AsyncDisposable {
  readonly url: string;
}

async function startReceiver(listener: RequestListener): Promise<Receiver> {
  const server = createServer(listener);
  const port = await freePort();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${port}/hook`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function deliver(url: string, timeoutMs = patience, signal = new AbortController().signal) {
  const webhook = { url, secret: new Secret(secret), timeoutMs };
  return createDeliverNotification({ webhook, mail: undefined }, clock)(notification, signal);
}

function answering(status: number): Promise<Receiver> {
  return startReceiver((_request, response) => void response.writeHead(status).end("words"));
}

describe("the receiver's status decides", () => {
  test.each([200, 201, 202, 204, 299])("%i means delivered", async (status) => {
    await using receiver = await answering(status);
    expect(await deliver(receiver.url)).toBe("delivered");
  });

  test.each([400, 401, 403, 404, 405, 409, 410, 413, 422, 451, 499])("%i means refused permanently", async (status) => {
    await using receiver = await answering(status);
    expect(await deliver(receiver.url)).toBe("refused");
  });

  test.each([408, 425, 429, 500, 501, 502, 503, 504, 599])("%i means to be retried", async (status) => {
    await using receiver = await answering(status);
    await expect(deliver(receiver.url)).rejects.toThrow(`the receiver returned status ${status}`);
  });

  test.each([301, 302, 303, 304, 307, 308])("%i is not followed and means to be retried", async (status) => {
    await using elsewhere = await startCaptureServer(await freePort());
    await using receiver = await startReceiver((_request, response) => {
      response.writeHead(status, { location: `http://127.0.0.1:${elsewhere.port}/` }).end();
    });
    await expect(deliver(receiver.url)).rejects.toThrow(`the receiver returned status ${status}`);
    expect(elsewhere.requests).toEqual([]);
  });

  test("an endless body does not matter once the status has arrived", async () => {
    await using receiver = await startReceiver((_request, response) => void response.writeHead(200).write("a part"));
    expect(await deliver(receiver.url)).toBe("delivered");
  });
});

test("the body is posted unchanged, as JSON, signed over its exact bytes with the second of the attempt", async () => {
  const seen: { method?: string | undefined; headers?: NodeJS.Dict<string | string[]>; body?: Buffer } = {};
  await using receiver = await startReceiver((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => void parts.push(part));
    request.on("end", () => {
      Object.assign(seen, { method: request.method, headers: request.headers, body: Buffer.concat(parts) });
      response.end();
    });
  });
  await deliver(receiver.url);
  const content = Buffer.concat([Buffer.from("notice-1.1614265330."), seen.body ?? Buffer.of()]);
  expect(seen.body?.toString("utf8")).toBe(notification.body);
  expect(seen.method).toBe("POST");
  expect(seen.headers).toMatchObject({
    "content-type": "application/json",
    "webhook-id": "notice-1",
    "webhook-timestamp": "1614265330",
    "webhook-signature": `v1,${createHmac("sha256", secret).update(content).digest("base64")}`,
  });
});

describe("a delivery without a response", () => {
  test("is retried if the receiver refuses the connection", async () => {
    await expect(deliver(`http://127.0.0.1:${await freePort()}/`)).rejects.toThrow("fetch failed");
  });

  test("is retried if the receiver closes the connection", async () => {
    await using receiver = await startReceiver((request) => void request.socket.destroy());
    await expect(deliver(receiver.url)).rejects.toThrow("fetch failed");
  });

  test("is retried if the receiver hangs until the timeout", async () => {
    await using receiver = await startReceiver(() => undefined);
    await expect(deliver(receiver.url, 50)).rejects.toMatchObject({ name: "TimeoutError" });
  });

  test("ends when the worker is closed while the receiver hangs: the signal closes the request and its connection", async () => {
    const received = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    await using receiver = await startReceiver((_request, response) => {
      response.on("close", gone.resolve);
      received.resolve();
    });
    const closing = new AbortController();
    const delivery = deliver(receiver.url, patience, closing.signal);
    await received.promise;
    closing.abort();
    await expect(delivery).rejects.toMatchObject({ name: "AbortError" });
    await gone.promise;
  });
});

test("without a configured webhook, queued webhooks are refused", async () => {
  const deliverNothing = createDeliverNotification({ webhook: undefined, mail: undefined }, clock);
  expect(await deliverNothing(notification, new AbortController().signal)).toBe("refused");
});
