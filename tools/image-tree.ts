// Writes the files of the container image, from the services' bundles. Usage: tools/image-tree.ts FOLDER; only the Dockerfile needs it.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { writeApplication, writeProgram } from "./package/application.ts";

const root = join(import.meta.dirname, "..");
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: tools/image-tree.ts FOLDER");
const target = resolve(folder);
const app = join(target, "app");
mkdirSync(app, { recursive: true });
await writeApplication(root, app, process.arch === "arm64" ? "arm64" : "x64");
await writeProgram(root, "tools/image/health.ts", join(app, "health"));
const programs = join(target, "usr/local/bin");
mkdirSync(programs, { recursive: true });
writeFileSync(join(programs, "postern"), '#!/bin/sh\nexec /app/bin/node /app/cli/dist/bundle/main.js "$@"\n');
chmodSync(join(programs, "postern"), 0o755);
