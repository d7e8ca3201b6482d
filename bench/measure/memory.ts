import type { RunningService } from "../stack/service.ts";
import { type Figure, figureOf } from "./added.ts";
import { residentMib } from "./processes.ts";

/** Resident MiB of one service: after its start, and after each round of load. */
export interface Memory {
  readonly service: string;
  /** What it was loaded with. */
  readonly load: string;
  readonly idleMib: number;
  readonly loadedMib: Figure;
}

export interface MemoryWatch {
  readonly memories: () => readonly Memory[];
  readonly look: () => void;
}

export function watchMemory(services: readonly RunningService[], load: string): MemoryWatch {
  const watched = services.map(({ name, pid }) => {
    return { service: name, pid, idleMib: residentMib(pid), loadedMib: new Array<number>() };
  });
  return {
    memories: () =>
      watched.map(({ service, idleMib, loadedMib }) => {
        return { service, load, idleMib, loadedMib: figureOf(loadedMib) };
      }),
    look: () => {
      for (const { pid, loadedMib } of watched) loadedMib.push(residentMib(pid));
    },
  };
}
