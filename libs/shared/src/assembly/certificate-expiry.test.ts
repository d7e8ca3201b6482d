import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { scratchFolder } from "@postern/testing";
import { expect, test } from "vitest";
import { remainingSeconds } from "./certificate-expiry.ts";

const day = 86_400;
const inFile = (file: string) => ({ key: "key", file, pem: "" });

async function makeCertificate(file: string, days: number): Promise<void> {
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", `${file}.key`];
  await promisify(execFile)("openssl", ["req", "-x509", ...key, "-subj", "/CN=a", "-days", String(days), "-out", file]);
}

test("the certificate that expires first counts, and files that cannot be read do not", async () => {
  await using folder = await scratchFolder();
  const [early, late] = [join(folder.path, "early.pem"), join(folder.path, "late.pem")];
  await makeCertificate(early, 2);
  await makeCertificate(late, 30);
  const seconds = remainingSeconds([late, join(folder.path, "missing.pem"), early].map(inFile));
  expect(seconds).toBeGreaterThan(day);
  expect(seconds).toBeLessThanOrEqual(2 * day);
  const later = { now: () => Date.now() + 3 * day * 1000 };
  expect(remainingSeconds([inFile(early)], later)).toBeLessThan(0);
  expect(remainingSeconds([])).toBeNaN();
});
