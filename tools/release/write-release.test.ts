import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeRelease } from "./write-release.ts";

const root = join(import.meta.dirname, "../..");

function release(folder: string, architecture: string): readonly string[] {
  const files = [`postern_1.0.0-1_${architecture}.deb`];
  for (const name of files) writeFileSync(join(folder, name), architecture);
  const statement = `postern_1.0.0-1_${architecture}.intoto.jsonl`;
  const build = { kind: "debian-package", parameters: {} } as const;
  expect(writeRelease({ root, folder, build, files, others: [], statement, key: "" })).toContain("not signed");
  const lines = readFileSync(join(folder, "SHA256SUMS"), "utf8").trim().split("\n");
  return lines.map((line) => line.slice(66));
}

test("the sums contain the files of the same release for both processors, and of no other release", () => {
  const folder = mkdtempSync(join(tmpdir(), "postern-release-"));
  try {
    writeFileSync(join(folder, "postern_0.9.0-1_amd64.deb"), "earlier");
    const ofAmd64 = ["postern_1.0.0-1_amd64.deb", "postern_1.0.0-1_amd64.intoto.jsonl"];
    expect(release(folder, "amd64")).toEqual(ofAmd64);
    expect(release(folder, "arm64")).toEqual(
      [...ofAmd64, "postern_1.0.0-1_arm64.deb", "postern_1.0.0-1_arm64.intoto.jsonl"].toSorted(),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
