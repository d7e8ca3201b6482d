import { once } from "node:events";
import { createServer } from "node:http";
import { expect, test } from "vitest";
import type { AppError } from "../../platform/errors/app-error.ts";
import { isPublicAddress } from "../../platform/net/ip.ts";
import { guardedKeySetUrl } from "./key-source.ts";

const never = new AbortController().signal;
const onlyPublic = (address: string): string | undefined => (isPublicAddress(address) ? undefined : "not public");

async function startServer() {
  const requests: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    requests.push(url);
    if (url === "/redirect") response.writeHead(302, { location: "/keys" }).end();
    else if (url === "/large") response.end(Buffer.alloc(300_000, 32));
    else response.end('{"keys":[]}');
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    requests,
    port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

test("no connection is made to an address that is not public, whatever name or spelling leads to it", async () => {
  await using server = await startServer();
  const hosts = ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "127.0.0.1.", "0"];
  for (const host of hosts) {
    const load = guardedKeySetUrl(`http://${host}:${server.port}/keys`, onlyPublic);
    const outcome = await load(never).then(
      () => "read",
      ({ code }: AppError) => code,
    );
    expect([host, outcome]).toEqual([host, "UPSTREAM_UNAVAILABLE"]);
  }
  expect(server.requests).toEqual([]);
});

test("a permitted address is read; redirects are not followed, and sets have a maximum size", async () => {
  await using server = await startServer();
  const load = (path: string) => guardedKeySetUrl(`http://localhost:${server.port}${path}`, () => undefined)(never);
  expect(await load("/keys")).toEqual({ keys: [] });
  await expect(load("/redirect")).rejects.toThrow("UPSTREAM_UNAVAILABLE");
  await expect(load("/large")).rejects.toThrow("UPSTREAM_UNAVAILABLE");
  expect(server.requests).toEqual(["/keys", "/redirect", "/large"]);
});

test.each([
  ["8.8.8.8", true],
  ["2606:4700::1", true],
  ["10.0.0.1", false],
  ["172.31.0.1", false],
  ["192.168.0.1", false],
  ["169.254.169.254", false],
  ["100.64.0.1", false],
  ["127.0.0.1", false],
  ["0.0.0.0", false],
  ["224.0.0.1", false],
  ["255.255.255.255", false],
  ["::", false],
  ["::1", false],
  ["::7f00:1", false],
  ["::ffff:10.0.0.1", false],
  ["64:ff9b::a00:1", false],
  ["64:ff9b:1::a00:1", false],
  ["2002:a00:1::1", false],
  ["2001:0:a00:1::1", false],
  ["fd00::1", false],
  ["fe80::1", false],
  ["fe80::1%eth0", false],
  ["ff02::1", false],
  ["example.test", false],
])("%s is public: %s", (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic);
});
