import { closeSync, constants, openSync } from "node:fs";

const everyMs = 1000;

function hasTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", constants.O_RDONLY | constants.O_NOCTTY | constants.O_NONBLOCK));
    return true;
  } catch {
    return false;
  }
}

/**
 * Calls back when the terminal of this process has closed. SIGHUP is not sufficient: the system sends it to the session leader, and if that
 * is `make` (as in `ssh -t host make run`), it is not passed on.
 */
export function watchTerminal(onClosed: () => void): void {
  if (!hasTerminal()) return;
  const timer = setInterval(() => {
    if (hasTerminal()) return;
    clearInterval(timer);
    onClosed();
  }, everyMs);
  timer.unref();
}
