export { createHealth, type Health, type HealthCheck, type HealthReport, type Phase } from "./health.ts";
export { openPrivateListener, type PrivateListener } from "./private-listener.ts";
export { Replaceable } from "./replaceable.ts";
export { type OrderedProgram, runService, runServices } from "./run-service.ts";
export {
  type PreparedReload,
  type Service,
  type ServiceProgram,
  type SharedByProcess,
  sharedBy,
} from "./service-program.ts";
export { runSteps, type ShutdownStep } from "./shutdown.ts";
export { version } from "./version.ts";
