export { createLineWriter, type LineValue, type WriteLine } from "./line-log.ts";
export { createLogger, type Logger, type LoggerOptions, type LogLevel, type ProcessLogger } from "./logger.ts";
export { printable } from "./printable.ts";
