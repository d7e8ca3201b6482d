/** The part of a logger that the bus needs. */
export interface BusLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
