import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { step } from "./checks/step.ts";
import { writeApplication } from "./package/application.ts";
import { writeDebianTree } from "./package/debian-tree.ts";
import { setModes } from "./package/runtime-tree.ts";
import { writeRelease } from "./release/write-release.ts";

const root = join(import.meta.dirname, "..");
const out = join(root, ".run/package");
const { version: own } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const { values } = parseArgs({
  options: {
    version: { type: "string", default: "" },
    architecture: { type: "string", default: "" },
    key: { type: "string", default: "" },
    fast: { type: "boolean", default: false },
  },
});
/** Names of processors: Debian's, and Node's. */
const processors = { amd64: "x64", arm64: "arm64" } as const;

function chosenArchitecture(): keyof typeof processors {
  const own = process.arch === "arm64" ? "arm64" : "amd64";
  const chosen = values.architecture === "" ? own : values.architecture;
  if (chosen !== "amd64" && chosen !== "arm64") throw new Error(`architecture ${chosen}: amd64 or arm64`);
  return chosen;
}

const architecture = chosenArchitecture();
const version = values.version === "" ? `${own}-1` : values.version;

function installedKilobytes(folder: string): number {
  return Number(execFileSync("du", ["-sk", folder], { encoding: "utf8" }).split("\t", 1)[0]);
}

async function writeTree(target: string): Promise<void> {
  rmSync(target, { recursive: true, force: true });
  step("services, libraries and command line");
  await writeApplication(root, join(target, "usr/lib/postern"), processors[architecture]);
  step("files of the package");
  writeDebianTree({ root, target, version, architecture });
  const programs = ["usr/bin/postern", "usr/lib/postern/bin/node", "DEBIAN/postinst", "DEBIAN/prerm", "DEBIAN/postrm"];
  setModes(target, (path) => programs.some((name) => path === join(target, name)));
  const control = join(target, "DEBIAN/control");
  const text = readFileSync(control, "utf8").replace(
    "Section:",
    `Installed-Size: ${installedKilobytes(target)}\nSection:`,
  );
  writeFileSync(control, text);
  const sums = execFileSync("sh", ["-c", "find etc lib usr -type f -print0 | sort -z | xargs -0 md5sum"], {
    cwd: target,
    encoding: "utf8",
  });
  writeFileSync(join(target, "DEBIAN/md5sums"), sums);
  chmodSync(join(target, "DEBIAN/md5sums"), 0o644);
}

/** Tests need no small file. */
const compression = values.fast ? ["-Zgzip", "-z1"] : ["-Zxz", "-z6"];
const target = join(out, "tree");
await writeTree(target);
step("compression");
const file = `postern_${version}_${architecture}.deb`;
execFileSync("dpkg-deb", ["--root-owner-group", ...compression, "--build", target, join(out, file)], {
  stdio: "inherit",
});
step("list of contents, provenance and sums");
const sbom = `postern_${version}_${architecture}.cdx.json`;
copyFileSync(join(target, "usr/lib/postern/sbom.cdx.json"), join(out, sbom));
const signed = writeRelease({
  root,
  folder: out,
  build: { kind: "debian-package", parameters: { target: "make package", version, architecture } },
  files: [file, sbom],
  others: [],
  statement: `postern_${version}_${architecture}.intoto.jsonl`,
  key: values.key,
});
console.log(`${join(".run/package", file)}: ${(statSync(join(out, file)).size / 2 ** 20).toFixed(1)} MiB, ${signed}`);
