export { busServersCheck } from "./bus-servers.ts";
export { commonChecks, readableFile, regionChecks, tlsCheck } from "./common.ts";
export { type Preflight, type PreflightCheck, type PreflightReport, runChecks } from "./run-checks.ts";
