export { busServersCheck } from "./bus-servers.ts";
export { commonChecks } from "./common.ts";
export { type Preflight, type PreflightCheck, type PreflightReport, runChecks } from "./run-checks.ts";
export { readableFile, tlsCheck } from "./tls.ts";
