import type { Html } from "./html.ts";
import type { Language } from "./languages.ts";
import type { Texts } from "./texts.ts";

export interface FootLink {
  readonly key: "common.terms" | "common.privacy" | "common.support";
  readonly url: string;
}

/** What a site gives its pages. */
export interface Brand {
  readonly name: string;
  /** A path of ours; absent: the name alone. */
  readonly logo: string | undefined;
  readonly stylesheet: string;
  readonly script: string;
  readonly links: readonly FootLink[];
  readonly passwordForgotten: string | undefined;
}

export interface LanguageLink {
  readonly language: Language;
  readonly href: string;
}

/** How one page is shown to one browser. */
export interface Look {
  readonly language: Language;
  readonly text: Texts;
  readonly brand: Brand;
  /** Empty where the page cannot be asked for again by GET. */
  readonly languageLinks: readonly LanguageLink[];
}

/** A page of ours: its view is all that it shows, its look how. */
export interface Page<View> {
  /** Names the site's template that replaces it. */
  readonly name: string;
  /** `passkeys`: it needs their script, or is better with it. `own`: its body names the script of ours that it takes. */
  readonly script?: "passkeys" | "own";
  readonly title: (view: View, look: Look) => string;
  readonly body: (view: View, look: Look) => Html;
  /** For the developer UI. */
  readonly sample: View;
}
