import { isIPv6 } from "node:net";
import { canonicalIp } from "@postern/shared/platform/net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { maxHeaderBytes, readProxyHeader } from "./proxy-header.ts";

const signature = Buffer.from("0d0a0d0a000d0a515549540a", "hex");

/** A header of version 2. */
function binary(versionAndCommand: number, family: number, body: Buffer): Buffer {
  const fixed = Buffer.alloc(4);
  fixed.writeUInt8(versionAndCommand, 0);
  fixed.writeUInt8(family, 1);
  fixed.writeUInt16BE(body.length, 2);
  return Buffer.concat([signature, fixed, body]);
}

function body(addresses: readonly Buffer[], port: number, extensions: Buffer = Buffer.alloc(0)): Buffer {
  const ports = Buffer.alloc(4);
  ports.writeUInt16BE(port, 0);
  ports.writeUInt16BE(443, 2);
  return Buffer.concat([...addresses, ports, extensions]);
}

const octets = (length: number): fc.Arbitrary<Buffer> =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => Buffer.from(bytes));
const port = fc.integer({ min: 0, max: 65_535 });

describe("version 1", () => {
  test.each([
    ["PROXY TCP4 192.0.2.1 198.51.100.1 56324 443\r\nGET", { host: "192.0.2.1", port: 56_324 }],
    ["PROXY TCP6 2001:db8::1 2001:db8::2 1 65535\r\nGET", { host: "2001:db8::1", port: 1 }],
    ["PROXY UNKNOWN\r\nGET", undefined],
    ["PROXY UNKNOWN ffff::1 ffff::2 1 2\r\nGET", undefined],
  ])("%j names its source", (text, source) => {
    const length = text.length - "GET".length;
    const expected = source === undefined ? { kind: "complete", length } : { kind: "complete", length, source };
    expect(readProxyHeader(Buffer.from(text))).toEqual(expected);
  });

  test.each([
    "GET / HTTP/1.1\r\n\r\n",
    "PROXY TCP4 192.0.2.1 198.51.100.1 56324\r\n",
    "PROXY TCP4 192.0.2.1 198.51.100.1 56324 443 1\r\n",
    "PROXY TCP4 192.0.2.1 198.51.100.1 65536 443\r\n",
    "PROXY TCP4 192.0.2.1 198.51.100.1 01 443\r\n",
    "PROXY TCP4 2001:db8::1 198.51.100.1 1 443\r\n",
    "PROXY TCP4 192.0.2.1 example.test 1 443\r\n",
    "PROXY TCP5 192.0.2.1 198.51.100.1 1 443\r\n",
    "PROXY  TCP4 192.0.2.1 198.51.100.1 1 443\r\n",
    `PROXY UNKNOWN ${"x".repeat(100)}\r\n`,
  ])("%j is invalid", (text) => {
    expect(readProxyHeader(Buffer.from(text))).toEqual({ kind: "invalid" });
  });
});

describe("version 2", () => {
  test("returns IPv4 and IPv6 sources, even if extensions follow", () => {
    fc.assert(
      fc.property(octets(8), octets(32), port, octets(20), (four, six, from, extensions) => {
        const v4 = binary(0x21, 0x11, body([four], from, extensions));
        const host = four.subarray(0, 4).join(".");
        expect(readProxyHeader(v4)).toEqual({ kind: "complete", length: v4.length, source: { host, port: from } });
        const v6 = readProxyHeader(binary(0x21, 0x21, body([six], from)));
        if (v6.kind !== "complete" || v6.source === undefined) throw new Error("no source");
        expect(isIPv6(v6.source.host)).toBe(true);
        const groups = six.toString("hex", 0, 16).match(/.{4}/gu)?.join(":") ?? "";
        expect([canonicalIp(v6.source.host), v6.source.port]).toEqual([canonicalIp(groups), from]);
      }),
    );
  });

  test.each([
    ["LOCAL", binary(0x20, 0x11, body([Buffer.alloc(8)], 1))],
    ["an unspecified family", binary(0x21, 0x00, Buffer.alloc(0))],
    ["a Unix socket", binary(0x21, 0x31, Buffer.alloc(216))],
    ["a datagram", binary(0x21, 0x12, body([Buffer.alloc(8)], 1))],
  ])("%s has no source", (_name, header) => {
    expect(readProxyHeader(header)).toEqual({ kind: "complete", length: header.length });
  });

  test.each([
    ["version 1 in binary", binary(0x11, 0x11, body([Buffer.alloc(8)], 1))],
    ["an unknown command", binary(0x22, 0x11, body([Buffer.alloc(8)], 1))],
    ["addresses that are cut off", binary(0x21, 0x21, body([Buffer.alloc(8)], 1))],
    ["a header that is too long", binary(0x21, 0x11, Buffer.alloc(maxHeaderBytes))],
  ])("%s is invalid", (_name, header) => {
    expect(readProxyHeader(header)).toEqual({ kind: "invalid" });
  });
});

const header = fc.oneof(
  fc.tuple(fc.ipV4(), port).map(([address, from]) => Buffer.from(`PROXY TCP4 ${address} 198.51.100.1 ${from} 443\r\n`)),
  fc.tuple(octets(32), port).map(([addresses, from]) => binary(0x21, 0x21, body([addresses], from))),
);

test("a header that arrives in pieces is incomplete until its last byte, and then independent of what follows", () => {
  fc.assert(
    fc.property(header, fc.uint8Array({ maxLength: 50 }), (bytes, rest) => {
      for (let end = 0; end < bytes.length; end += 1) {
        expect(readProxyHeader(bytes.subarray(0, end))).toEqual({ kind: "incomplete" });
      }
      const whole = readProxyHeader(bytes);
      expect(whole).toMatchObject({ kind: "complete", length: bytes.length });
      expect(readProxyHeader(Buffer.concat([bytes, rest]))).toEqual(whole);
    }),
  );
});

test("no bytes make the parser throw or read past the limit", () => {
  fc.assert(
    fc.property(fc.boolean(), fc.uint8Array({ maxLength: maxHeaderBytes + 100 }), (isSigned, noise) => {
      const found = readProxyHeader(isSigned ? Buffer.concat([signature, noise]) : Buffer.from(noise));
      if (found.kind === "complete") expect(found.length).toBeLessThanOrEqual(maxHeaderBytes);
    }),
  );
});
