export { createServiceReports, type HeardReport, type ServiceReports } from "./ask-on-the-bus.ts";
