export { createLogger, type Logger, type LoggerOptions, type LogLevel, type ProcessLogger } from "./logger.ts";
