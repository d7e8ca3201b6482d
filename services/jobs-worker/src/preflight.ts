import { commonChecks, type Preflight, regionChecks } from "@postern/shared/platform/preflight";

/** What a worker opens and compiles from its configuration. */
export const preflight: Preflight = (config) => [...commonChecks(config), ...regionChecks(config)];
