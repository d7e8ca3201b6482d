import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Identity, identityOf, isAlive } from "./identity.ts";
import type { StopStage } from "./programs.ts";

export interface RecordedProcess extends Identity {
  readonly name: string;
  readonly stopStage: StopStage;
}

/** Content of `.run/demo/state.json`: who runs the demo, and what it started. */
export interface State {
  readonly runner: Identity;
  readonly address: string;
  readonly processes: readonly RecordedProcess[];
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isIdentity(value: unknown): value is Identity {
  if (!isObject(value) || !("pid" in value) || !("startTime" in value) || !("bootId" in value)) return false;
  const { pid, startTime, bootId } = value;
  return typeof pid === "number" && pid > 1 && typeof startTime === "string" && typeof bootId === "string";
}

function isRecorded(value: unknown): value is RecordedProcess {
  if (!isIdentity(value) || !("name" in value) || !("stopStage" in value)) return false;
  return typeof value.name === "string" && (value.stopStage === 1 || value.stopStage === 2 || value.stopStage === 3);
}

function isState(value: unknown): value is State {
  if (!isObject(value) || !("runner" in value) || !("address" in value) || !("processes" in value)) return false;
  const { runner, address, processes } = value;
  return isIdentity(runner) && typeof address === "string" && Array.isArray(processes) && processes.every(isRecorded);
}

function pathOf(folder: string): string {
  return join(folder, "state.json");
}

/** Undefined if there is none, or it is damaged: its PIDs must then not be killed. */
export function readState(folder: string): State | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(pathOf(folder), "utf8"));
    return isState(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function removeState(folder: string): void {
  rmSync(pathOf(folder), { force: true });
}

/** Atomic: readers see the old or the new state. */
export function writeState(folder: string, state: State): void {
  const draft = `${pathOf(folder)}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(state, null, 2));
  renameSync(draft, pathOf(folder));
}

/** Makes this process the runner of the folder's demo; undefined if another process already is. */
export function claim(folder: string, address: string): State | undefined {
  const runner = identityOf(process.pid);
  if (runner === undefined) throw new Error("/proc is needed to recognise processes");
  const state: State = { runner, address, processes: [] };
  mkdirSync(folder, { recursive: true });
  const draft = `${pathOf(folder)}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(state, null, 2));
  try {
    linkSync(draft, pathOf(folder));
    return state;
  } catch {
    return undefined;
  } finally {
    rmSync(draft, { force: true });
  }
}

export function aliveProcesses(state: State): readonly RecordedProcess[] {
  return state.processes.filter(isAlive);
}
