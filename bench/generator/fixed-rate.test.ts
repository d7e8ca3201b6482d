import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { freePort, scratchFolder } from "@postern/testing";
import { expect, it } from "vitest";
import { serialMark } from "../stack/serial-mark.ts";
import { runAtFixedRate } from "./fixed-rate.ts";

interface Peer extends AsyncDisposable {
  readonly url: string;
  readonly bodies: string[];
  /** Ports of the connections that requests came from. */
  readonly ports: Set<number | undefined>;
}

async function startPeer(statusOf: (body: string) => number, open: Promise<void> = Promise.resolve()): Promise<Peer> {
  const port = await freePort();
  const bodies: string[] = [];
  const ports = new Set<number | undefined>();
  const server: Server = createServer((message, response) => {
    void text(message).then(async (body) => {
      bodies.push(body);
      ports.add(message.socket.remotePort);
      await open;
      response.writeHead(statusOf(body)).end("{}");
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${port}/`,
    bodies,
    ports,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function writeLines(folder: string, lines: readonly string[]): Promise<string> {
  const file = join(folder, "bodies");
  await writeFile(file, `${lines.join("\n")}\n`);
  return file;
}

it("sends as many requests as the rate and the time say, in turn, over all connections", async () => {
  await using folder = await scratchFolder();
  await using peer = await startPeer((body) => (body === "b" ? 403 : 200));
  const bodiesFile = await writeLines(folder.path, ["a", "b"]);
  const report = await runAtFixedRate({ url: peer.url, bodiesFile, connections: 4, perSecond: 200 }, 0.5);
  expect(report).toMatchObject({ requests: 100, refused: 50, socketErrors: 0 });
  expect(peer.bodies.filter((body) => body === "a")).toHaveLength(50);
  expect(peer.ports.size).toBe(4);
});

it("gives each request with the mark a number of its own", async () => {
  await using folder = await scratchFolder();
  await using peer = await startPeer(() => 200);
  const bodiesFile = await writeLines(folder.path, [`password ${serialMark}`]);
  await runAtFixedRate({ url: peer.url, bodiesFile, connections: 2, perSecond: 200 }, 0.1);
  expect(new Set(peer.bodies).size).toBe(20);
  expect(peer.bodies[0]).toMatch(/^password \d{13,}$/);
});

it("counts the time that a request waits for a connection", async () => {
  await using folder = await scratchFolder();
  const { promise, resolve } = Promise.withResolvers<void>();
  await using peer = await startPeer(() => 200, promise);
  const bodiesFile = await writeLines(folder.path, ["a"]);
  const stalled = runAtFixedRate({ url: peer.url, bodiesFile, connections: 1, perSecond: 100 }, 0.3);
  const stalledSince = performance.now();
  while (performance.now() - stalledSince < 400) await new Promise((next) => setTimeout(next, 20));
  resolve();
  const report = await stalled;
  expect(report.requests).toBe(30);
  // All but the first were due while the only connection was busy; the last was due 300 ms after the start.
  expect(report.p50Ms).toBeGreaterThan(100);
});
