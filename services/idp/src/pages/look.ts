import type { Language } from "@postern/shared/domain/localisation";
import type { Html } from "@postern/shared/platform/pages";
import type { Texts } from "./texts.ts";

export interface FootLink {
  readonly key: "common.terms" | "common.privacy" | "common.support";
  readonly url: string;
}

/** `passkeys`: passkey ceremonies. `page`: conveniences for times, passwords and codes. */
export type ScriptName = "passkeys" | "page";

/** The branding of a site. */
export interface Brand {
  readonly name: string;
  /** Path of the logo; absent: only the name is shown. */
  readonly logo: string | undefined;
  /** Logo for the dark colour scheme; absent: the same logo. */
  readonly logoDark: string | undefined;
  readonly icon: string;
  readonly stylesheet: string;
  readonly scripts: Readonly<Record<ScriptName, string>>;
  readonly links: readonly FootLink[];
  readonly passwordForgotten: string | undefined;
  /** Where users change their password; undefined if the site has no such page. */
  readonly passwordChange: string | undefined;
}

/** The look of one page for one browser. */
export interface Look {
  readonly language: Language;
  /** Locale for times: BCP 47, with the reader's region if the browser sends one. */
  readonly locale: string;
  readonly text: Texts;
  readonly brand: Brand;
  /** What has just been done; shown above the page. */
  readonly notices: readonly string[];
  /** Empty if the page cannot be requested again by GET. */
  readonly languageLinks: readonly { readonly language: Language; readonly href: string }[];
}

/** A page: its view is all that it shows, its look how it shows it. */
export interface Page<View> {
  /** Also the name of the site template that can replace it. */
  readonly name: string;
  /** Scripts that it needs or is improved by. `own`: its body names the script. */
  readonly scripts?: readonly (ScriptName | "own")[];
  readonly title: (view: View, look: Look) => string;
  readonly body: (view: View, look: Look) => Html;
  /** For the developer UI. */
  readonly sample: View;
}
