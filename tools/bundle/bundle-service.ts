import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative } from "node:path";
import { type Plugin, type RolldownOutput, rolldown } from "rolldown";
import { asciiOnly } from "./ascii.ts";
import { external } from "./external.ts";
import { httpWithoutUndici } from "./http-module.ts";
import { asksForItsPlace, unreviewedPath } from "./paths.ts";
import { rawText } from "./raw-text.ts";
import { undiciInParts } from "./undici-module.ts";
import { workerStartedBy } from "./workers.ts";

export interface Bundle {
  /** Files that Node runs, the largest first. */
  readonly chunks: readonly { readonly fileName: string; readonly bytes: number }[];
  readonly modules: number;
  /** The files that were read. */
  readonly sources: readonly string[];
}

/** Reviews each module, and adds entries for the threads that it starts. */
function reviewModules(root: string, problems: string[]): Plugin {
  return {
    name: "postern-review",
    transform: {
      // The bundler calls JavaScript only for these; a module that starts a thread is one of them. The text of a file is not run.
      filter: { id: { exclude: /\?raw$/ }, code: asksForItsPlace },
      handler(code, id) {
        if (!isAbsolute(id)) return null;
        const unreviewed = unreviewedPath(root, id, code);
        if (unreviewed !== undefined)
          problems.push(`${unreviewed} uses its own location: review it in tools/bundle/paths.ts`);
        const worker = workerStartedBy(relative(root, id));
        if (worker !== undefined) {
          this.emitFile({ type: "chunk", id: join(root, worker.source), fileName: worker.fileName });
        }
        return null;
      },
    },
  };
}

function isContent(path: string, content: string | Uint8Array): boolean {
  return existsSync(path) && readFileSync(path).equals(Buffer.from(content));
}

/**
 * Writes files that differ from an earlier build first, because services may be starting from it; then removes its other files.
 */
function writeFiles(folder: string, output: RolldownOutput["output"]): void {
  for (const file of output) {
    const path = join(folder, file.fileName);
    // The source map stays valid: no line moves, and columns change only after the few replaced characters.
    const content = file.type === "chunk" ? asciiOnly(file.code) : file.source;
    if (isContent(path, content)) continue;
    mkdirSync(dirname(path), { recursive: true });
    // Renaming is atomic: a concurrent reader sees either the old or the new file.
    writeFileSync(`${path}.new`, content);
    renameSync(`${path}.new`, path);
  }
  const written = new Set(output.map(({ fileName }) => fileName));
  for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(file.parentPath, file.name);
    if (file.isFile() && !written.has(relative(folder, path))) rmSync(path);
  }
}

interface BundlerLog {
  readonly code?: string | undefined;
  readonly message: string;
}

function isExpected({ code = "", message }: BundlerLog): boolean {
  // depd creates functions with `eval`, from constant text.
  if (code === "EVAL") return message.includes("node_modules/depd/");
  // A shared module loads a library when it is needed; a service that always needs it loads it at its start.
  return code === "INEFFECTIVE_DYNAMIC_IMPORT" && message.includes("dynamically imported by libs/shared/");
}

/** Writes `services/<name>/dist/bundle/main.js`, its chunks and its threads, as one artefact with source maps. */
export function bundleService(root: string, name: string): Promise<Bundle> {
  return bundleProgram(root, { entry: `services/${name}/src/main.ts`, folder: `services/${name}/dist/bundle` });
}

/** The same for the command line, which runs all services in one process. */
export function bundleCommandLine(root: string): Promise<Bundle> {
  return bundleProgram(root, { entry: "cli/src/main.ts", folder: "cli/dist/bundle" });
}

/** A program and the folder of its bundle, as paths from the repository's root. */
export interface Program {
  readonly entry: string;
  readonly folder: string;
}

/** Writes `main.js`, its chunks and its threads into the folder. */
export async function bundleProgram(root: string, { entry, folder }: Program): Promise<Bundle> {
  const problems: string[] = [];
  await using build = await rolldown({
    cwd: root,
    input: { main: join(root, entry) },
    platform: "node",
    resolve: { conditionNames: ["node", "import", "module-sync"] },
    external: [...external],
    // The names of CommonJS. They refer to the bundle, which is why paths.ts reviews their use.
    transform: { define: { __dirname: "import.meta.dirname", __filename: "import.meta.filename" } },
    plugins: [httpWithoutUndici(), undiciInParts(root), rawText(), reviewModules(root, problems)],
    onLog: (level, log) => {
      if (level === "warn" && !isExpected(log)) problems.push(log.message);
    },
  });
  const dir = join(root, folder);
  mkdirSync(dir, { recursive: true });
  const { output } = await build.generate({
    dir,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    // The maps are for translating stack traces: Node would keep them in memory, at twice the size of the code.
    sourcemap: true,
    sourcemapExcludeSources: true,
    // Keeps the names of classes and functions for logs and stack traces.
    keepNames: true,
    comments: { annotation: false, jsdoc: false },
  });
  if (problems.length > 0) throw new Error(problems.join("\n"));
  writeFiles(dir, output);
  const chunks = output.filter((file) => file.type === "chunk");
  return {
    chunks: chunks
      .map(({ fileName, code }) => ({ fileName, bytes: code.length }))
      .toSorted((one, other) => other.bytes - one.bytes),
    modules: chunks.reduce((sum, { modules }) => sum + Object.keys(modules).length, 0),
    sources: await build.watchFiles,
  };
}
