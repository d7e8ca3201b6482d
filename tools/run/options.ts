import { resolve } from "node:path";
import { parseArgs } from "node:util";

export interface RunOptions {
  readonly engines: number;
  /** Whether all services run in one process, without NATS. */
  readonly isOneProcess: boolean;
  /** The folder that contains `services/<name>/dist/bundle/main.js` and `cli/dist/bundle/main.js`. */
  readonly servicesRoot: string;
  /** False if the services are provided by the caller, as in tests. */
  readonly build: boolean;
  /** Folder for state, logs and data of the demo. */
  readonly folder: string;
  /** Added to every port. */
  readonly portOffset: number;
  readonly readyWithinMs: number;
}

const repository = resolve(import.meta.dirname, "../..");

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (!/^\d+$/u.test(text) || value < min || value > max) {
    throw new Error(`${name} must be a whole number from ${min} to ${max}, not "${text}"`);
  }
  return value;
}

/** Parses `--engines N --shape five|one --folder DIR`, and for tests `--services-root DIR --port-offset N --ready-within-ms N`. */
export function parseRunOptions(args: readonly string[]): RunOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      engines: { type: "string", default: "1" },
      shape: { type: "string", default: "five" },
      folder: { type: "string", default: resolve(repository, ".run/demo") },
      "services-root": { type: "string" },
      "port-offset": { type: "string", default: "0" },
      "ready-within-ms": { type: "string", default: "60000" },
    },
  });
  const foreign = values["services-root"];
  const { shape } = values;
  if (shape !== "five" && shape !== "one") throw new Error(`SHAPE must be five or one, not "${shape}"`);
  const engines = wholeNumber("ENGINES", values.engines, 1, 8);
  if (shape === "one" && engines > 1) throw new Error("one process has one engine: ENGINES needs SHAPE=five");
  return {
    engines,
    isOneProcess: shape === "one",
    servicesRoot: resolve(foreign ?? repository),
    build: foreign === undefined,
    folder: resolve(values.folder),
    portOffset: wholeNumber("--port-offset", values["port-offset"], 0, 40_000),
    readyWithinMs: wholeNumber("--ready-within-ms", values["ready-within-ms"], 100, 600_000),
  };
}
