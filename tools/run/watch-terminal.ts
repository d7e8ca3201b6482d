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
 * Tells when the terminal that this process was started from has closed. SIGHUP alone is not enough: the system sends
 * it to the leader of the session, and a leader that is `make` (as in `ssh -t host make run`) keeps it to itself.
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
