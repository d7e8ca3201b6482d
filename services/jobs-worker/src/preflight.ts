import { commonChecks, type Preflight } from "@postern/shared/platform/preflight";

/** What a worker opens and compiles from its configuration. */
export const preflight: Preflight = commonChecks;
