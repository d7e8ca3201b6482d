import { type Browser, chromium } from "playwright-core";

/** The system's Chromium. As root its sandbox does not start; it sees our own pages only. */
export function launchChromium(args: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", ...args] });
}
