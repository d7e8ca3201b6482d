import { nativeFunctions } from "../ffi/native-functions.ts";
import type { Logger } from "../logging/logger.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const none = { ready: (): void => undefined, stopping: (): void => undefined };
/** systemd, as sd_notify(3) reaches it. */
export type ServiceManager = typeof none;

/** Feeds per watchdog period; one may be late. */
const feedsPerPeriod = 3;

function watchdogPeriodMs({ WATCHDOG_USEC: micros, WATCHDOG_PID: pid }: Environment): number | undefined {
  if (micros === undefined || (pid !== undefined && pid !== String(process.pid))) return undefined;
  const periodMs = Number(micros) / 1000;
  return periodMs > 0 ? periodMs / feedsPerPeriod : undefined;
}

/** systemd requires Unix datagram sockets, which Node lacks, so systemd's own library sends the message. */
function createSend(): (state: string) => void {
  const { dlopen } = nativeFunctions();
  const { functions } = dlopen("libsystemd.so.0", { sd_notify: { return: "i32", arguments: ["i32", "string"] } });
  return (state) => void functions.sd_notify(0, state);
}

/** Does nothing if the process was not started by a unit with `Type=notify`, or without systemd's library. */
export function connectServiceManager(environment: Environment, log: Pick<Logger, "warn">): ServiceManager {
  if (environment["NOTIFY_SOCKET"] === undefined) return none;
  try {
    const send = createSend();
    return {
      /** The service serves requests. From now on the event loop feeds the watchdog, so that systemd ends a process that hangs. */
      ready: () => {
        send("READY=1");
        const everyMs = watchdogPeriodMs(environment);
        if (everyMs !== undefined) setInterval(() => send("WATCHDOG=1"), everyMs).unref();
      },
      stopping: () => send("STOPPING=1"),
    };
  } catch (err) {
    log.warn({ err }, "systemd cannot be notified");
    return none;
  }
}
