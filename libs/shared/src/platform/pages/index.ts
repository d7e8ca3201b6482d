export { contrast, darkPalette, leastContrast, lightPalette, withAccent } from "./colours.ts";
export {
  escapeHtml,
  type FormView,
  formOf,
  type Html,
  html,
  htmlText,
  type Interpolated,
  icon,
  icons,
  trustedHtml,
} from "./html.ts";
export { createSecurityHeaders, type PolicyOptions, type SecurityHeaders } from "./security-headers.ts";
export { type AccentColours, stylesheetOf } from "./stylesheet.ts";
