export { darkPalette, lightPalette, withAccent } from "./colours.ts";
export {
  escapeHtml,
  type FormView,
  formOf,
  type Html,
  html,
  htmlText,
  type Interpolated,
  trustedHtml,
} from "./html.ts";
export { icons } from "./icons.ts";
export { createSecurityHeaders, type SecurityHeaders } from "./security-headers.ts";
export { type AccentColours, stylesheetOf } from "./stylesheet.ts";
