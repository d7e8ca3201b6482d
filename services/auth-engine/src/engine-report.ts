import type { OwnReport } from "@postern/shared/assembly";
import { within } from "@postern/shared/platform/concurrency";
import { steadyClock } from "@postern/shared/platform/time";
import type { Backend } from "./backends/backend.ts";
import type { BackendsByName } from "./backends/backends-by-name.ts";
import type { EngineContext } from "./context.ts";
import { actionFiles, decisionFiles } from "./scripts/script-settings.ts";

const checkTimeoutMs = 1000;

type BackendState = NonNullable<OwnReport["backends"]>[number];

async function stateOf(backend: Backend): Promise<BackendState> {
  const name = `${backend.kind} ${backend.name}`;
  const context = { deadline: steadyClock.now() + checkTimeoutMs, signal: AbortSignal.timeout(checkTimeoutMs) };
  try {
    await within(backend.check(context), checkTimeoutMs);
    return { name, state: "up" };
  } catch {
    return { name, state: "down" };
  }
}

/** A report has at most as many backends. */
const maxReported = 64;

/** The site's backends first, then those of domains: hosters have many of these, and want to know which are down. */
async function statesOf({ current, ofSite }: BackendsByName): Promise<BackendState[]> {
  const others = current.filter((backend) => !ofSite.includes(backend));
  const [site, domains] = await Promise.all([ofSite, others].map((some) => Promise.all(some.map(stateOf))));
  const marked = (domains ?? []).map((one) => ({ ...one, isOfDomains: true }));
  const isDown = ({ state }: BackendState): boolean => state === "down";
  return [...(site ?? []), ...marked.filter(isDown), ...marked.filter((one) => !isDown(one))].slice(0, maxReported);
}

/** What an engine reports about itself beside its health: each backend, and the site's scripts. */
export async function reportEngine({ backendsByName, configuration }: EngineContext): Promise<OwnReport> {
  const config = configuration.current();
  return {
    backends: await statesOf(backendsByName),
    scripts: [...decisionFiles(config), ...actionFiles(config)].map(({ path }) => path),
  };
}
