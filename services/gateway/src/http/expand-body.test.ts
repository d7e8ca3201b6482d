import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { AppError } from "@postern/shared/platform/errors";
import fc from "fast-check";
import { expect, test } from "vitest";
import { expandBody } from "./body.ts";

const settings = { enabled: true, maxBytes: 1_048_576 };
const text = Buffer.from('{"username":"alice"}');
const mebibyte = 1_048_576;

async function codeOf(run: Promise<unknown>): Promise<string | undefined> {
  try {
    await run;
    return undefined;
  } catch (error) {
    if (error instanceof AppError && error.row.kind === "caller") return error.code;
    throw error;
  }
}

const quickBrotli = (body: Buffer): Buffer =>
  brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });

const compressors = [
  ["gzip", gzipSync],
  ["x-gzip", gzipSync],
  ["br", quickBrotli],
  ["zstd", zstdCompressSync],
] as const satisfies [string, (body: Buffer) => Buffer][];

test.each(compressors)("%s is expanded", async (coding, compress) => {
  expect(await expandBody(coding, compress(text), settings)).toEqual(text);
  expect(await expandBody(` ${coding.toUpperCase()} `, compress(text), settings)).toEqual(text);
});

test.each(compressors)("%s: 1 MiB is accepted, one byte more is not", async (coding, compress) => {
  const full = Buffer.alloc(mebibyte, "ab");
  expect(await expandBody(coding, compress(full), settings)).toHaveLength(mebibyte);
  const over = compress(Buffer.alloc(mebibyte + 1, "ab"));
  expect(await codeOf(expandBody(coding, over, settings))).toBe("REQUEST_TOO_LARGE");
});

test.each(compressors)("%s: a decompression bomb stops at the limit and costs no memory", async (coding, compress) => {
  const bomb = compress(Buffer.alloc(32 * mebibyte));
  const before = process.memoryUsage();
  const heldBefore = before.external + before.arrayBuffers;
  const attempts = Array.from({ length: 8 }, () => codeOf(expandBody(coding, bomb, settings)));
  expect(new Set(await Promise.all(attempts))).toEqual(new Set(["REQUEST_TOO_LARGE"]));
  const { external, arrayBuffers } = process.memoryUsage();
  expect(external + arrayBuffers - heldBefore).toBeLessThan(24 * mebibyte);
});

test.each(compressors)("%s: invalid or truncated bytes are malformed", async (coding, compress) => {
  const whole = compress(Buffer.from("a body of some length, so that it can be cut"));
  expect(await codeOf(expandBody(coding, Buffer.from("nonsense"), settings))).toBe("REQUEST_MALFORMED");
  expect(await codeOf(expandBody(coding, whole.subarray(0, -6), settings))).toBe("REQUEST_MALFORMED");
});

test("a zstd frame with a window above 8 MiB is rejected before memory is allocated", async () => {
  const params = { [constants.ZSTD_c_windowLog]: 27, [constants.ZSTD_c_contentSizeFlag]: 0 };
  const { createZstdCompress } = await import("node:zlib");
  const stream = createZstdCompress({ params });
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  stream.write(text);
  stream.end();
  await new Promise((resolve) => stream.once("end", resolve));
  expect(await codeOf(expandBody("zstd", Buffer.concat(chunks), settings))).toBe("REQUEST_MALFORMED");
});

test.each(["deflate", "gzip, gzip", "gzip,br", "", "constructor", "identity, gzip", "compress"])(
  "the coding %j is rejected",
  async (coding) => {
    expect(await codeOf(expandBody(coding, deflateSync(text), settings))).toBe("REQUEST_MEDIA_TYPE");
  },
);

test("if decompression is disabled, only identity is accepted", async () => {
  const off = { ...settings, enabled: false };
  expect(await expandBody("identity", text, off)).toBe(text);
  expect(await codeOf(expandBody("gzip", gzipSync(text), off))).toBe("REQUEST_MEDIA_TYPE");
});

test("any bytes result in a body or a reason", async () => {
  const codings = fc.constantFrom("gzip", "br", "zstd");
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 100 }), codings, async (bytes, coding) => {
      expect([undefined, "REQUEST_MALFORMED", "REQUEST_TOO_LARGE"]).toContain(
        await codeOf(expandBody(coding, Buffer.from(bytes), settings)),
      );
    }),
  );
});
