import { join, resolve } from "node:path";
import { isAlive } from "../../../tools/run/identity.ts";
import { readState } from "../../../tools/run/state.ts";
import type { RunningDemo } from "./own-site.ts";

/** The demo of this working copy; a package has none. */
export function runningDemo(): RunningDemo | undefined {
  const root = resolve(import.meta.dirname, "../../..");
  const state = readState(join(root, ".run/demo"));
  return state !== undefined && isAlive(state.runner)
    ? { configFile: join(root, "config", "demo.yaml"), url: state.address }
    : undefined;
}
