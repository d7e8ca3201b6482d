// Loaded by `node --expose-internals --import` into a service. When the service ends, it stores the compiled code of its bundle where Node
// looks for it (NODE_COMPILE_CACHE).
//
// Node stores a module before it runs, so its cache lacks the functions that V8 compiles when they are first called: most of those that a
// start runs. Here the cache is made at the end. The module is compiled again, which costs nothing: V8 finds the compiled code by its text
// and address, with every function that has run.
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire, flushCompileCache, getCompileCacheDir } from "node:module";
import { dirname, join } from "node:path";
import { argv } from "node:process";
import { pathToFileURL } from "node:url";
import { isMainThread } from "node:worker_threads";
import { crc32 } from "node:zlib";

interface ModuleWrap {
  createCachedData(): Buffer;
}

interface Internals {
  internalBinding(name: "module_wrap"): {
    readonly ModuleWrap: new (
      url: string,
      context: undefined,
      text: string,
      line: number,
      column: number,
      hostOption: symbol,
    ) => ModuleWrap;
  };
  internalBinding(name: "symbols"): { readonly source_text_module_default_hdo: symbol };
}

/** Begins each file of Node's cache. With another version of Node it may differ; then Node ignores the files and writes its own. */
const magic = 0x8adfdbb2;
/** A file's name is a checksum of the module's kind and address. */
const esModule = 1;

function storedForm(code: Buffer, data: Buffer): Buffer {
  const header = Buffer.alloc(20);
  const fields = [magic, code.length, data.length, crc32(code), crc32(data)];
  for (const [index, field] of fields.entries()) header.writeUInt32LE(field, index * 4);
  return Buffer.concat([header, data]);
}

function storeBundle(): void {
  const main = argv[1];
  const cache = getCompileCacheDir();
  if (main === undefined || cache === undefined) throw new Error("no bundle, or no cache of compiled code");
  // Node's own files first, so that it does not write them over these when the process ends.
  flushCompileCache();
  const internals: Internals = createRequire(import.meta.url)("internal/test/binding");
  const { ModuleWrap } = internals.internalBinding("module_wrap");
  const hostOption = internals.internalBinding("symbols").source_text_module_default_hdo;
  const stored = new Set(readdirSync(cache));
  const folder = dirname(main);
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".js"))) {
    const path = join(folder, name);
    const url = pathToFileURL(path).href;
    const key = crc32(url, crc32(Buffer.from([esModule])))
      .toString(16)
      .padStart(8, "0");
    // The service has loaded only these.
    if (!stored.has(key)) continue;
    const code = readFileSync(path);
    const data = new ModuleWrap(url, undefined, code.toString(), 0, 0, hostOption).createCachedData();
    writeFileSync(join(cache, `${key}.new`), storedForm(code, data));
    renameSync(join(cache, `${key}.new`), join(cache, key));
  }
}

if (isMainThread) process.once("exit", storeBundle);
