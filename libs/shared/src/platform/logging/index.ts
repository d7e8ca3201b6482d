export type { LineShape, LineValue, WriteLine } from "./line-log.ts";
export { createLogger, type Logger, type LoggerOptions, type LogLevel, type ProcessLogger } from "./logger.ts";
export { printable } from "./printable.ts";
export type { StandardOutput } from "./standard-output.ts";
