import type { OwnReport } from "@postern/shared/assembly";
import { within } from "@postern/shared/platform/concurrency";
import { steadyClock } from "@postern/shared/platform/time";
import type { Backend } from "./backends/backend.ts";
import type { EngineContext } from "./context.ts";
import { actionFiles, decisionFiles } from "./scripts/script-settings.ts";

const checkTimeoutMs = 1000;

async function stateOf(backend: Backend): Promise<NonNullable<OwnReport["backends"]>[number]> {
  const name = `${backend.kind} ${backend.name}`;
  const context = { deadline: steadyClock.now() + checkTimeoutMs, signal: AbortSignal.timeout(checkTimeoutMs) };
  try {
    await within(backend.check(context), checkTimeoutMs);
    return { name, state: "up" };
  } catch {
    return { name, state: "down" };
  }
}

/** What an engine reports about itself beside its health: each backend, and the site's scripts. */
export async function reportEngine({ backends, configuration }: EngineContext): Promise<OwnReport> {
  const config = configuration.current();
  return {
    backends: await Promise.all(backends.current.map(stateOf)),
    scripts: [...decisionFiles(config), ...actionFiles(config)].map(({ path }) => path),
  };
}
