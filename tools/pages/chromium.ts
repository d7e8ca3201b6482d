import { type Browser, chromium } from "playwright-core";

/**
 * Debian's Chromium without the windows of a browser. It lays out pages and runs their scripts as the browser does, in a third of the CPU
 * time: `chromium --headless` also draws tabs and menus, which are separate pages.
 */
const headlessShell = "/usr/bin/chromium-headless-shell";

/** Its sandbox does not start as root; it loads only our own pages. */
const noSandbox = "--no-sandbox";

/** The pages of a site share a process. Starting one for each page takes a seventh of the browser's CPU time. */
const oneRenderer = "--renderer-process-limit=1";

export function launchChromium(args: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: headlessShell, args: [noSandbox, oneRenderer, ...args] });
}

/** The settings of the whole browser, for what the headless shell lacks: profiles, and Debian's rules for cookies. */
export const wholeBrowser = { executablePath: "/usr/bin/chromium", args: [noSandbox] };
