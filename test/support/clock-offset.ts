/** Written to standard error by a service whose clock has been set. */
export const clockIsSet = "the wall clock is set";

/**
 * Environment variables that shift the wall clock of a service, as if its host's clock were wrong. Timers and `performance.now()`, which
 * read the monotonic clock, are not affected. A shift that begins at a signal is a clock that is set.
 */
export function clockOffset(
  offsetMs: number,
  begin: "immediately" | "at SIGUSR2" = "immediately",
): Readonly<Record<string, string>> {
  const code = `
    const RealDate = Date;
    let begun = ${begin === "immediately"};
    const offset = () => (begun ? ${offsetMs} : 0);
    process.on("SIGUSR2", () => { begun = true; console.error("${clockIsSet}"); });
    globalThis.Date = class extends RealDate {
      constructor(...parts) { if (parts.length === 0) super(RealDate.now() + offset()); else super(...parts); }
      static now() { return RealDate.now() + offset(); }
    };`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}
