import { type PageRequest, type PlainPage, plainPage } from "./plain-page.ts";
import { unavailableTexts } from "./unavailable-texts.ts";

/** For a page whose service is unavailable. */
export function unavailablePage(request: PageRequest, reference: string): PlainPage {
  return plainPage(request, { texts: unavailableTexts, href: "", reference });
}
