import type { Postern } from "../stack/postern.ts";
import { residentMib } from "./processes.ts";

/** Resident MiB of one service: after its start, and the maximum after a row. */
export interface Memory {
  readonly service: string;
  readonly directory: string;
  readonly idleMib: number;
  loadedMib: number;
}

export interface MemoryWatch {
  readonly memories: readonly Memory[];
  look(): void;
}

export function watchMemory({ gateway, engines }: Postern, directory: string): MemoryWatch {
  const watched = [gateway, ...engines].map(({ name, pid }) => {
    const idleMib = residentMib(pid);
    return { pid, memory: { service: name, directory, idleMib, loadedMib: idleMib } };
  });
  return {
    memories: watched.map(({ memory }) => memory),
    look: () => {
      for (const { pid, memory } of watched) memory.loadedMib = Math.max(memory.loadedMib, residentMib(pid));
    },
  };
}
