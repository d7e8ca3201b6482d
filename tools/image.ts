// Builds the image, and writes its SBOM, provenance and sums into .run/image. Usage: tools/image.ts [--key KEY] [ARGUMENT of docker build …]
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { withDebianPackages } from "./release/debian-packages.ts";
import { commitOf, writeRelease } from "./release/write-release.ts";

const root = join(import.meta.dirname, "..");
const out = join(root, ".run/image");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const { values, positionals } = parseArgs({
  options: { key: { type: "string", default: "" } },
  allowPositionals: true,
});
const image = `postern:${version}`;

function docker(...args: readonly string[]): string {
  return execFileSync("docker", args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

const revision = commitOf(root);
execFileSync("docker", ["build", "-t", image, "--build-arg", `REVISION=${revision}`, ...positionals, root], {
  stdio: "inherit",
});
console.log("listing the contents of the image");
mkdirSync(out, { recursive: true });
const own = docker("run", "--rm", "--entrypoint", "cat", image, "/app/sbom.cdx.json");
const packages = docker(
  "run",
  "--rm",
  "--entrypoint",
  "dpkg-query",
  image,
  "-W",
  "-f",
  "${Package} ${Version} ${Architecture}\\n",
);
const sbom = `postern-${version}-image.cdx.json`;
writeFileSync(join(out, sbom), withDebianPackages(own, packages));
console.log("validating the list");
execFileSync(join(root, "tools/release/validate-sbom.sh"), [join(out, sbom)], { stdio: "inherit" });
const [id = "", size = ""] = docker("image", "inspect", "--format", "{{.Id}} {{.Size}}", image).trim().split(" ");
const signed = writeRelease({
  root,
  folder: out,
  build: { kind: "image", parameters: { target: "make image", version, arguments: positionals.join(" ") } },
  files: [sbom],
  // The digest of the configuration, which contains the digests of all layers; the manifest in a registry has another digest.
  others: [{ name: `${image} (image ID)`, sha256: id.replace("sha256:", "") }],
  statement: `postern-${version}-image.intoto.jsonl`,
  key: values.key,
});
console.log(`${image}: ${(Number(size) / 1e6).toFixed(0)} MB, ${id}, ${signed}`);
