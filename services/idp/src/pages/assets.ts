import { hash } from "node:crypto";
import { passkeyScript } from "./passkey-script.ts";
import { signOutScript } from "./sign-out-script.ts";
import { type AccentColours, stylesheetOf } from "./stylesheet.ts";

export interface Asset {
  /** `/static/<name>.<digest>.<ending>` */
  readonly path: string;
  readonly contentType: string;
  readonly body: Buffer;
}

export interface Assets {
  readonly stylesheet: Asset;
  /** Sends the form of a page that only carries a message. */
  readonly sender: Asset;
  /** Shows how a logout goes on, and goes on with it. */
  readonly signOut: Asset;
  /** Of the pages with passkeys. */
  readonly script: Asset;
  readonly logo: Asset | undefined;
  /** By path. A digest that is not ours is of another version beside us: it gets ours, to keep for no time. */
  find(path: string): { readonly asset: Asset; readonly isExact: boolean } | undefined;
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

function assetOf(name: string, ending: keyof typeof contentTypes, body: Buffer): Asset {
  const digest = hash("sha256", body, "hex").slice(0, 16);
  return { path: `/static/${name}.${digest}.${ending}`, contentType: contentTypes[ending], body };
}

export function createAssets(accent: AccentColours, logoFile: LogoFile | undefined): Assets {
  const stylesheet = assetOf("style", "css", Buffer.from(stylesheetOf(accent)));
  const logo = logoFile === undefined ? undefined : assetOf("logo", logoFile.ending, logoFile.body);
  const sender = assetOf("send", "js", Buffer.from(senderScript));
  const signOut = assetOf("signout", "js", Buffer.from(signOutScript));
  const script = assetOf("passkeys", "js", Buffer.from(passkeyScript));
  const byName = new Map<string, Asset>([
    ["style", stylesheet],
    ["send", sender],
    ["signout", signOut],
    ["passkeys", script],
    ...(logo === undefined ? [] : [["logo", logo] as const]),
  ]);
  return {
    stylesheet,
    sender,
    signOut,
    script,
    logo,
    find: (path) => {
      const [, name = ""] = /^\/static\/([a-z]+)\.[0-9a-f]{16}\.[a-z]+$/.exec(path) ?? [];
      const asset = byName.get(name);
      return asset === undefined ? undefined : { asset, isExact: asset.path === path };
    },
  };
}
