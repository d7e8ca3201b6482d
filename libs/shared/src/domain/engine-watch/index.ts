export { type EngineWatch, startEngineWatch } from "./engine-watch.ts";
export { enginesAnswered, trialTimeoutMs, watchedBus } from "./watched-bus.ts";
