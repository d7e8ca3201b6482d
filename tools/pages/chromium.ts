import { type Browser, chromium } from "playwright-core";

/** The system's Chromium. Its sandbox does not start as root; it loads only our own pages. */
export function launchChromium(args: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", ...args] });
}
