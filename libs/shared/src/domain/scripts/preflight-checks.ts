import type { Config } from "../../platform/config/index.ts";
import type { PreflightCheck } from "../../platform/preflight/run-checks.ts";
import { loadScripts, type ScriptFile } from "./load-scripts.ts";
import { createScriptPool } from "./pool.ts";

/** A script, and the key with the path of its file. */
export interface KeyedScript {
  readonly key: string;
  readonly file: ScriptFile;
}

/** Reads and compiles scripts like a pool, without calling their functions. Throws `CONFIG_INVALID`. */
async function compile(config: Config, files: readonly ScriptFile[]): Promise<void> {
  const { package_path, translations_path, cpu_limit, memory_limit } = config.auth.backends.lua.backend.default;
  const pool = await createScriptPool({
    set: await loadScripts(files, package_path, translations_path),
    limits: { workers: 1, maxInFlight: 1, cpuLimitMs: cpu_limit, memoryLimitBytes: memory_limit },
    host: async () => {
      throw new Error("is not available while scripts are only checked");
    },
    onLog: () => undefined,
    onCount: () => undefined,
    onReplaced: () => undefined,
  });
  await pool.close();
}

/** Compiles all scripts together; only if that fails, each one separately, to find the faulty one. */
export function scriptChecks(config: Config, scripts: readonly KeyedScript[]): readonly PreflightCheck[] {
  let together: Promise<boolean> | undefined;
  const allCompile = (): Promise<boolean> => {
    together ??= compile(
      config,
      scripts.map(({ file }) => file),
    ).then(
      () => true,
      () => false,
    );
    return together;
  };
  return scripts.map(({ key, file }) => ({
    path: key,
    run: async () => {
      if (!(await allCompile())) await compile(config, [file]);
    },
  }));
}
