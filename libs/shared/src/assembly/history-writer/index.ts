// A separate module, so that the thread that writes the history does not load what only the services need.
export { historyWriterFromConfig } from "../history-from-config.ts";
export { redisFromConfig } from "../redis-from-config.ts";
