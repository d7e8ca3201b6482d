import type { ConsolePageId } from "@postern/shared/contracts";
import { type Html, html, icon, icons } from "@postern/shared/platform/pages";

/** Of the navigation. A page without an icon of its own has that of a sheet. */
const pageIcons: Readonly<Partial<Record<ConsolePageId, Html>>> = {
  overview: icon(html`<path d="M4 20V10M10 20V4M16 20v-7M21 20H3"/>`),
  origins: icon(
    html`<circle cx="12" cy="12" r="8.500"/><path d="M3.500 12h17M12 3.500c2.500 2.300 3.700 5.200 3.700 8.500s-1.200 6.200-3.700 8.500c-2.500-2.300-3.700-5.200-3.700-8.500S9.500 5.800 12 3.500z"/>`,
  ),
  search: icon(html`<circle cx="10.500" cy="10.500" r="6.500"/><path d="m15.500 15.500 5 5"/>`),
  account: icon(html`<circle cx="12" cy="8" r="4"/><path d="M4.500 20.500c.8-4 3.700-6 7.500-6s6.700 2 7.500 6"/>`),
  bans: icons.shield,
  clients: icon(
    html`<rect x="3.500" y="3.500" width="7" height="7" rx="1.500"/><rect x="13.500" y="3.500" width="7" height="7" rx="1.500"/><rect x="3.500" y="13.500" width="7" height="7" rx="1.500"/><rect x="13.500" y="13.500" width="7" height="7" rx="1.500"/>`,
  ),
  domains: icon(
    html`<circle cx="12" cy="12" r="8.500"/><path d="M3.500 12h17M12 3.500c2.300 2.500 3.400 5.300 3.400 8.500s-1.100 6-3.400 8.500c-2.300-2.500-3.400-5.300-3.400-8.500s1.100-6 3.400-8.500"/>`,
  ),
  system: icon(
    html`<rect x="3" y="4" width="18" height="6.500" rx="1.500"/><rect x="3" y="13.500" width="18" height="6.500" rx="1.500"/><path d="M7 7.250h.01M7 16.750h.01M11 7.250h6M11 16.750h6"/>`,
  ),
  configuration: icon(
    html`<path d="M4 7h9M17 7h3M4 17h3M11 17h9"/><circle cx="15" cy="7" r="2"/><circle cx="9" cy="17" r="2"/>`,
  ),
  audit: icons.list,
  api: icon(html`<path d="m8 7-5 5 5 5M16 7l5 5-5 5M13.500 5l-3 14"/>`),
};

const sheet = icon(html`<path d="M6 3h8l4 4v14H6zM14 3v4h4"/>`);

export const iconOfPage = (id: ConsolePageId): Html => pageIcons[id] ?? sheet;

export const menuIcon = icon(html`<path d="M4 7h16M4 12h16M4 17h16"/>`);
export const noticeIcon = icon(html`<path d="M12 8v5M12 16.500h.01M12 3 2.500 20h19z"/>`);
