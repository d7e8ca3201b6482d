export { createHealth, type Health, type HealthCheck, type HealthReport, type Phase } from "./health.ts";
export { openPrivateListener, type PrivateListener } from "./private-listener.ts";
export { runService, type Service } from "./run-service.ts";
export { type ShutdownStep, shutDown } from "./shutdown.ts";
export { version } from "./version.ts";
