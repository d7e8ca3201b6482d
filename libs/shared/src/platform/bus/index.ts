export type { Bus } from "./bus.ts";
export type { RequestOptions } from "./client.ts";
export { type ConnectBusOptions, connectBus } from "./connect.ts";
export type { BusCredentials, BusTls } from "./credentials.ts";
export type { EventSubscription } from "./events.ts";
export type { CallContext } from "./in-flight-call.ts";
export type { BusStatus } from "./link.ts";
export type { BusMetrics } from "./metrics.ts";
export type { ServeOptions, Serving } from "./server.ts";
