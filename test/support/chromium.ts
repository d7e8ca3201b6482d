import type { Browser } from "playwright-core";
import { launchChromium } from "../../tools/pages/chromium.ts";

let running: Promise<Browser> | undefined;

/**
 * The browser of this worker process, which starts it once for all of its test files and ends it by its own end. A test opens a context for itself:
 * contexts share no cookies, storage or cache.
 */
export async function sharedChromium(): Promise<Browser> {
  const browser = await running;
  if (browser?.isConnected() === true) return browser;
  running = launchChromium();
  return running;
}
