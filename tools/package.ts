// Builds the Debian package into .run/package. Usage: tools/package.ts [--version VERSION] [--key KEY] [--fast]
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bundleProgram } from "./bundle/bundle-service.ts";
import { writeDebianTree } from "./package/debian-tree.ts";
import { setModes, writeRuntimeTree } from "./package/runtime-tree.ts";

const root = join(import.meta.dirname, "..");
const out = join(root, ".run/package");
const { version: own } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const { values } = parseArgs({
  options: {
    version: { type: "string", default: "" },
    key: { type: "string", default: "" },
    fast: { type: "boolean", default: false },
  },
});
const version = values.version === "" ? `${own}-1` : values.version;

function installedKilobytes(folder: string): number {
  return Number(execFileSync("du", ["-sk", folder], { encoding: "utf8" }).split("\t", 1)[0]);
}

async function writeTree(target: string): Promise<void> {
  const lib = join(target, "usr/lib/postern");
  const cli = "cli/dist/bundle";
  rmSync(target, { recursive: true, force: true });
  await bundleProgram(root, { entry: "tools/postern.ts", folder: `.run/package/${cli}` });
  writeRuntimeTree(root, lib, "x64");
  execFileSync("cp", ["-r", join(out, "cli"), lib]);
  execFileSync("find", [join(lib, "cli"), "-name", "*.map", "-delete"]);
  writeFileSync(join(lib, "package.json"), '{ "type": "module" }\n');
  mkdirSync(join(lib, "bin"));
  copyFileSync(join(root, "node_modules/node/bin/node"), join(lib, "bin/node"));
  writeDebianTree({ root, target, version, architecture: "amd64" });
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

function sign(sums: string): string {
  if (values.key === "") return "not signed: name a key with KEY=";
  rmSync(`${sums}.asc`, { force: true });
  execFileSync("gpg", ["--batch", "--local-user", values.key, "--armor", "--detach-sign", sums], { stdio: "inherit" });
  return `signed in ${sums}.asc`;
}

/** Tests need no small file. */
const compression = values.fast ? ["-Zgzip", "-z1"] : ["-Zxz", "-z6"];
const target = join(out, "tree");
await writeTree(target);
const file = `postern_${version}_amd64.deb`;
execFileSync("dpkg-deb", ["--root-owner-group", ...compression, "--build", target, join(out, file)], {
  stdio: "inherit",
});
const sum = createHash("sha256")
  .update(readFileSync(join(out, file)))
  .digest("hex");
const sums = join(out, "SHA256SUMS");
writeFileSync(sums, `${sum}  ${file}\n`);
console.log(
  `${join(".run/package", file)}: ${(statSync(join(out, file)).size / 2 ** 20).toFixed(1)} MiB, ${sign(sums)}`,
);
