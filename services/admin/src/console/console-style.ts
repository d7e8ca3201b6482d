import { type AccentColours, stylesheetOf } from "@postern/shared/platform/pages";
import { chartStyle } from "./charts/chart-style.ts";
import { type ConsoleAsset, styleAsset } from "./console-assets.ts";
import { overviewStyle } from "./overview/overview-style.ts";

/** The style of the sign-in pages, wider, and with what only the console shows. */
const rules = `
.console header,.console main,.console footer{max-width:60rem}
.console header{display:flex;flex-wrap:wrap;align-items:center;gap:.75rem 1.5rem;padding-top:1.25rem}
.console nav{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;flex-basis:100%}
.console nav a{padding-block:.25rem}
.console nav a[aria-current]{color:var(--text);font-weight:650;text-decoration:none}
.who-am-i{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1rem;margin-inline-start:auto;font-size:.9375rem;color:var(--muted)}
.who-am-i form{margin:0}
.who-am-i button{width:auto;min-height:2.25rem;margin:0;padding:.25rem .875rem}
.console h2{font-size:1.25rem}
.console h3{margin:1rem 0 .25rem;font-size:1.0625rem}
.search{display:grid;gap:.75rem}
.search button{margin-top:0}
.verdict{margin-top:1.75rem;padding:1rem 1.25rem;border-radius:.75rem;border-inline-start:.375rem solid var(--control);background:var(--soft);font-size:1.125rem;font-weight:600;line-height:1.45}
.verdict.blocked,.verdict.denied{border-color:var(--error);background:var(--error-soft)}
.verdict:is(.working,.lifted){border-color:var(--good)}
.badge{display:inline-block;padding:.0625rem .625rem;border-radius:1rem;border:1px solid var(--error);color:var(--error);background:var(--error-soft);font-size:.875rem;font-weight:650;vertical-align:middle}
.acts .field{margin-bottom:.75rem}
.acts select{display:block;width:100%;min-height:3rem;padding:.625rem .875rem;font:inherit;color:inherit;background:var(--card);border:1px solid var(--control);border-radius:.625rem}
.causes{list-style:none;margin:.75rem 0 0;padding:0}
.causes>li{padding:.75rem 0;border-bottom:1px solid var(--line)}
.causes p{margin:0}
.causes p+p{margin-top:.25rem}
.acts.marked>li{border-color:var(--accent);border-inline-start-width:.375rem}
.verdict p{font-size:1rem;font-weight:400}
.pairs{display:grid;grid-template-columns:auto 1fr;gap:.125rem 1rem;margin:.375rem 0 0}
.pairs dt{color:var(--muted)}
.pairs dd{margin:0}
.timeline{list-style:none;margin:.75rem 0 0;padding:0}
.timeline li{padding:.625rem .875rem;border-inline-start:.25rem solid var(--error)}
.timeline li+li{border-top:1px solid var(--line)}
.timeline li.ok{border-inline-start-color:var(--good)}
.timeline li.undecided{border-inline-start-color:var(--control)}
.timeline b{font-weight:650}
.timeline small{display:block;color:var(--muted);font-size:.9375rem}
.links{list-style:none;margin:.5rem 0 0;padding:0;display:flex;flex-wrap:wrap;gap:.25rem 1.25rem}
.acts{list-style:none;margin:.75rem 0 0;padding:0;display:grid;gap:.75rem;grid-template-columns:repeat(auto-fill,minmax(min(16rem,100%),1fr));align-items:start}
.acts>li:has(details[open]){grid-column:1/-1}
.acts>li{padding:.875rem 1rem;border:1px solid var(--line);border-radius:.75rem}
.acts p{margin:.25rem 0 0;color:var(--muted);font-size:.9375rem}
.acts summary{font-weight:650}
.acts form{margin-top:.75rem}
.acts :is(button,.button){width:fit-content;min-height:2.75rem;margin-top:.75rem}
.filters{display:grid;gap:1rem;margin-top:.75rem}
.filters .field{margin:0}
.filters select{display:block;width:100%;min-height:3rem;padding:.625rem .875rem;font:inherit;color:inherit;background:var(--card);border:1px solid var(--control);border-radius:.625rem}
button.narrow{width:fit-content}
.exports{display:flex;flex-wrap:wrap;gap:.5rem .75rem;margin-top:.75rem}
.exports button{width:auto;min-height:2.75rem;margin:0}
.timeline code{overflow-wrap:anywhere}
textarea{width:100%;box-sizing:border-box;font:.875rem/1.4 ui-monospace,monospace;color:inherit;background:transparent;border:1px solid var(--control);border-radius:.375rem;padding:.5rem}
main pre{white-space:pre-wrap;overflow-wrap:anywhere}
.counted{list-style:none;margin:.5rem 0 0;padding:0}
.counted li{display:flex;flex-wrap:wrap;gap:0 1rem;justify-content:space-between;padding:.375rem 0;border-bottom:1px solid var(--line)}
.counted span{color:var(--muted)}
.counted .name{color:inherit}
.things dd .line{display:block}
.things dd b{display:inline}
.rows{width:100%;margin-top:1rem;border-collapse:collapse;font-size:.9375rem}
.rows :is(th,td){padding:.5rem .75rem .5rem 0;text-align:start;vertical-align:top}
.rows th{color:var(--muted);font-weight:600;border-bottom:1px solid var(--control)}
.rows .acts-row td{padding-top:0;border-bottom:1px solid var(--line)}
.rows .acts{margin:0}
.rows .acts>li{padding:0;border:0}
.keys dd{overflow-wrap:anywhere}
.empty{color:var(--muted)}
.bad{color:var(--error);font-weight:650}
.things .acts{margin-top:.5rem}
.things .acts>li{padding:0;border:0}
@media (max-width:22rem){
.pairs{grid-template-columns:1fr}
.pairs dd{margin-bottom:.375rem}
}
@media (max-width:40rem){
.keys{grid-template-columns:1fr}
.keys dd{margin-bottom:.375rem}
.rows,.rows thead,.rows tbody,.rows tr,.rows td{display:block}
.rows th{display:none}
.rows th[aria-sort]{display:block;text-align:start}
.rows td[data-column]{display:grid;grid-template-columns:6rem 1fr;padding:.125rem 0}
.rows td[data-column]::before{content:attr(data-column);color:var(--muted)}
.rows tr:not(.acts-row){padding-top:.75rem}
.things .pairs{grid-template-columns:1fr}
.things .pairs dd{margin-bottom:.375rem}
}
@media (min-width:40rem){
.search{grid-template-columns:1fr auto;align-items:end}
.search button{width:auto}
.filters{grid-template-columns:1fr 1fr}
}
`;

export function consoleStyle(accent: AccentColours): ConsoleAsset {
  return styleAsset("style", `${stylesheetOf(accent)}${rules.replaceAll("\n", "")}${chartStyle}${overviewStyle}`);
}
