import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalBus } from "../bus/local-bus.ts";
import type { Config } from "../config/index.ts";
import type { Logger } from "../logging/logger.ts";
import { type StandardOutput, standardOutput } from "../logging/standard-output.ts";
import type { Preflight } from "../preflight/index.ts";

/** What the services of one process share. */
export interface SharedByProcess {
  readonly output: StandardOutput;
  /** The names of the services of this process. The metrics of the first one include those of the process. */
  readonly services: readonly string[];
  /** Absent if the process has one service only. */
  readonly local: LocalBus | undefined;
  /** Resolves when all services of this process have started. */
  readonly allStarted: Promise<void>;
  /** The Unix socket at which the gateway of this process reaches a service of this process; undefined for others. */
  readonly socketOf: (service: string) => string | undefined;
}

/** Maximum length of the address of a Unix socket, in bytes, with its final zero (unix(7)). */
const maxAddressBytes = 108;

/** Only this user may enter it, and it ends with the process. */
function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "postern-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * The sockets of the services of a process. Undefined for other services, and where the path of temporary files is too long for sockets: the
 * services' TCP listeners are used then.
 */
function socketsOf(services: readonly string[]): (service: string) => string | undefined {
  let folder: string | undefined;
  return (service) => {
    if (!services.includes(service)) return undefined;
    folder ??= createFolder();
    const path = join(folder, service);
    return Buffer.byteLength(path) < maxAddressBytes ? path : undefined;
  };
}

/** @param isTest whether what crosses between the services is checked more strictly */
export function sharedBy(services: readonly string[], allStarted: Promise<void>, isTest: boolean): SharedByProcess {
  return {
    allStarted,
    output: standardOutput(),
    services,
    local: services.length > 1 ? new LocalBus(services, isTest) : undefined,
    socketOf: services.includes("gateway") ? socketsOf(services) : () => undefined,
  };
}

/** A valid configuration with everything that it needs, not in use yet. */
export interface PreparedReload {
  /** Keys that cannot change while the service runs keep their old values. */
  use(): Promise<void> | void;
  /** Closes what was prepared. */
  discard?(): Promise<void> | void;
}

/** A service as its process sees it. */
export interface Service {
  readonly logger: Logger;
  /** Reports from now on that it is not ready, while it serves on. */
  drain(): void;
  /** How long the process drains before anything stops, so that load balancers notice, and how long stopping may take. */
  shutdownTimes(): { readonly delayMs: number; readonly graceMs: number };
  /** Resolves when everything that was started has stopped, or after `graceMs`. */
  stop(graceMs: number): Promise<void>;
  /** Prepares a valid configuration. Rejects without changing anything if it cannot be used. */
  prepare(next: Config): Promise<PreparedReload>;
  /** Reports a rejected configuration to logs and metrics, with the error that was thrown, if any. */
  reloadRefused(problems: readonly string[], cause?: unknown): void;
  /** Returns false if standard output is not being read. */
  flushLogs(): Promise<boolean>;
}

/** What a service exports: `main.ts` runs it alone, `postern serve` with others. */
export interface ServiceProgram {
  readonly name: string;
  /** Everything that the service opens and compiles from its configuration. */
  readonly preflight: Preflight;
  readonly start: (config: Config, shared: SharedByProcess) => Promise<Service>;
}
