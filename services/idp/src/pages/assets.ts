import { hash } from "node:crypto";
import { pathTo } from "@postern/shared/contracts";
import {
  type AccentColours,
  darkPalette,
  escapeHtml,
  lightPalette,
  stylesheetOf,
  withAccent,
} from "@postern/shared/platform/pages";
import { passkeyScript } from "./passkey-script.ts";

/**
 * Improves pages that also work without it: times in the browser's zone and region, a button that shows the password,
 * buttons that copy an app password and copy or save recovery codes, and forms that a double click does not send twice.
 */
const pageScript = `"use strict";
(() => {
  const written = document.documentElement.lang.split("-")[0];
  const locale = navigator.languages.find((tag) => tag.split("-")[0] === written) || document.documentElement.lang;
  const moments = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", numberingSystem: "latn" });
  for (const time of document.querySelectorAll("time[datetime]")) time.textContent = moments.format(new Date(time.dateTime));

  for (const button of document.querySelectorAll("[data-reveal]")) {
    const field = document.getElementById(button.dataset.reveal);
    const show = (shown) => {
      field.type = shown ? "text" : "password";
      button.setAttribute("aria-pressed", String(shown));
    };
    button.hidden = false;
    button.addEventListener("click", () => {
      show(field.type === "password");
      field.focus();
    });
    field.form.addEventListener("submit", () => show(false));
  }

  // Until the response arrives; users who stop the page or return to it may send the form again.
  const sent = new WeakSet();
  const again = (form) => sent.delete(form);
  document.addEventListener("submit", (event) => {
    if (event.defaultPrevented) return;
    if (sent.has(event.target)) return event.preventDefault();
    sent.add(event.target);
    setTimeout(again, 3000, event.target);
  });
  addEventListener("pageshow", () => {
    for (const form of document.forms) again(form);
  });

  const copies = (button, text) => {
    button.hidden = !navigator.clipboard;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text);
      button.textContent = button.dataset.copy;
    });
  };
  for (const button of document.querySelectorAll("[data-from]")) {
    copies(button, document.getElementById(button.dataset.from).textContent);
  }

  const kept = document.querySelector("[data-codes]");
  if (kept) {
    const codes = [...document.querySelectorAll(".codes code")].map((code) => code.textContent);
    const text = [kept.dataset.codes, ...codes, ""].join("\\n");
    copies(kept.querySelector("[data-copy]"), text);
    kept.querySelector("[data-download]").addEventListener("click", () => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
      link.download = "recovery-codes.txt";
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    });
    kept.hidden = false;
  }
})();
`;

/**
 * The script of the page that notifies service providers of a logout shows which have answered and continues as soon as all have.
 * OIDC clients do not answer, so it continues shortly after all frames have loaded. Without scripts, the page continues
 * after the timeout.
 */
const signOutScript = `"use strict";
(() => {
  const root = document.querySelector("[data-logout]");
  if (!root) return;
  const { logout: address, next } = root.dataset;
  if (next !== undefined) {
    const go = () => location.replace(next);
    const soon = () => setTimeout(go, 300);
    setTimeout(go, 3000);
    if (document.readyState === "complete") soon();
    else addEventListener("load", soon);
    return;
  }
  const rows = [...root.querySelectorAll("li")];
  const show = (states) => {
    for (const [place, row] of rows.entries())
      for (const note of row.querySelectorAll("[data-state]")) note.hidden = note.dataset.state !== states[place];
  };
  const look = async () => {
    const reply = await fetch(address + "&state=1", { headers: { accept: "application/json" } });
    if (!reply.ok) throw new Error("state");
    const { states, over } = await reply.json();
    show(states);
    if (over) location.replace(address);
    else setTimeout(step, 300);
  };
  const step = () => look().catch(() => setTimeout(step, 1000));
  step();
})();
`;

export interface Asset {
  readonly name: string;
  /** `/static/<name>.<digest>.<ending>`, with `?domain=<domain>` if it belongs to the brand of a domain. */
  readonly path: string;
  readonly contentType: string;
  readonly body: Buffer;
}

export interface LogoFile {
  readonly ending: "svg" | "png" | "webp";
  readonly body: Buffer;
}

const contentTypes = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
  webp: "image/webp",
};

const senderScript = "document.querySelector('form[data-send]')?.submit();\n";

// oxlint-disable-next-line eslint/max-params -- the parts of one path
function assetOf(name: string, ending: keyof typeof contentTypes, body: Buffer, query = ""): Asset {
  const digest = hash("sha256", body, "hex").slice(0, 16);
  const path = pathTo("asset", { asset: `${name}.${digest}.${ending}` });
  return { name, path: `${path}${query}`, contentType: contentTypes[ending], body };
}

/** The site's branding that browsers load. */
export interface SiteFiles {
  readonly name: string;
  readonly accent: AccentColours;
  readonly logo?: LogoFile | undefined;
  readonly logoDark?: LogoFile | undefined;
  readonly icon?: LogoFile | undefined;
}

/** The first letter of the site's name in its colour, as in the header of pages without a logo. */
function letterIcon({ name, accent }: SiteFiles): string {
  const light = withAccent(lightPalette, accent.light);
  const dark = withAccent(darkPalette, accent.dark);
  const [letter = ""] = name;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><style>rect{fill:${light.accent}}text{fill:${light.onAccent};font:700 18px system-ui,sans-serif}@media(prefers-color-scheme:dark){rect{fill:${dark.accent}}text{fill:${dark.onAccent}}}</style><rect width="32" height="32" rx="9"/><text x="16" y="22.500" text-anchor="middle">${escapeHtml(letter.toUpperCase())}</text></svg>`;
}

/** The branding of a site, or of a domain. */
export type BrandAssets = ReturnType<typeof brandAssets>;

/** @param query distinguishes the files of a domain's brand from those of the site; empty for the site's. */
export function brandAssets(files: SiteFiles, query = "") {
  const fileAsset = (name: string, file: LogoFile | undefined): Asset | undefined =>
    file === undefined ? undefined : assetOf(name, file.ending, file.body, query);
  return {
    stylesheet: assetOf("style", "css", Buffer.from(stylesheetOf(files.accent)), query),
    logo: fileAsset("logo", files.logo),
    /** For the dark colour scheme; absent: the same. */
    logoDark: fileAsset("logodark", files.logoDark),
    icon: fileAsset("icon", files.icon) ?? assetOf("icon", "svg", Buffer.from(letterIcon(files)), query),
  };
}

export interface FoundAsset {
  readonly asset: Asset;
  readonly isExact: boolean;
}

/**
 * Finds an asset by path. An unknown digest belongs to another version: it gets this version's asset, not to be
 * cached.
 */
export function findAsset(assets: Readonly<Record<string, Asset | undefined>>, url: string): FoundAsset | undefined {
  const [, name = ""] = /^\/static\/([a-z]+)\.[0-9a-f]{16}\.[a-z]+(?:\?.*)?$/.exec(url) ?? [];
  const asset = Object.values(assets).find((one) => one?.name === name);
  return asset === undefined ? undefined : { asset, isExact: asset.path === url };
}

export function createAssets(files: SiteFiles) {
  return {
    ...brandAssets(files),
    /** Submits the form of a page that only carries a message. */
    sender: assetOf("send", "js", Buffer.from(senderScript)),
    /** Shows the progress of a logout and continues it. */
    signOut: assetOf("signout", "js", Buffer.from(signOutScript)),
    /** The script of the pages with passkeys. */
    script: assetOf("passkeys", "js", Buffer.from(passkeyScript)),
    /** The script of all pages that a script improves. */
    page: assetOf("page", "js", Buffer.from(pageScript)),
  };
}

export type Assets = ReturnType<typeof createAssets>;
