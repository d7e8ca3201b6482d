export { createServiceReports } from "./ask-on-the-bus.ts";
export type { HeardReport, ServiceReports } from "./service-reports.ts";
