export { busServersCheck, commonChecks, poolTlsCheck, readableFile, regionChecks } from "./common.ts";
export { type Preflight, type PreflightCheck, type PreflightReport, runChecks } from "./run-checks.ts";
