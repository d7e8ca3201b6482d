import { type AccentColours, stylesheetOf } from "@postern/shared/platform/pages";
import { chartStyle } from "./charts/chart-style.ts";
import { type ConsoleAsset, styleAsset } from "./console-assets.ts";
import { houseStyle } from "./house/house-style.ts";
import { originsStyle } from "./origins/origins-style.ts";
import { overviewStyle } from "./overview/overview-style.ts";
import { laneStyle } from "./sign-ins/lane-style.ts";

/** The style of the sign-in pages, wider, and with what only the console shows. */
const rules = `
.verdict{margin-top:1.75rem;padding:1rem 1.25rem;border-radius:.75rem;border-inline-start:.375rem solid var(--control);background:var(--soft);font-size:1.125rem;font-weight:600;line-height:1.45}
.verdict.blocked,.verdict.denied{border-color:var(--error);background:var(--error-soft)}
.verdict:is(.working,.lifted){border-color:var(--good);background:var(--good-soft)}
.verdict:is(.delayed,.limited,.doubted,.undecided,.degraded){border-color:var(--warn);background:var(--warn-soft)}
.acts .field{margin-bottom:.75rem}
.acts select{display:block;width:100%;min-height:3rem;padding:.625rem .875rem;font:inherit;color:inherit;background:var(--card);border:1px solid var(--control);border-radius:.625rem}
.causes{list-style:none;margin:.75rem 0 0;padding:0}
.causes>li{padding:.75rem 0;border-bottom:1px solid var(--line)}
.causes p{margin:0}
.causes p+p{margin-top:.25rem}
.verdict .badge{display:flex;width:fit-content;margin-bottom:.375rem}
.verdict p{font-size:1rem;font-weight:400}
.beside{display:flex;flex-wrap:wrap;gap:.75rem;align-items:flex-start;margin-top:.875rem;font-size:1rem;font-weight:400;line-height:1.5}
.beside>:has(details[open]),.beside>details[open]{flex-basis:100%}
.beside .acts{margin:0}
.beside .acts.marked{display:block}
:is(.acts.marked,.causes .acts)>li{padding:0;border:0}
:is(.more-actions,.causes .acts>li>details,.acts.marked>li>details)>summary{display:inline-flex;align-items:center;min-height:2.75rem;padding:.375rem 1.125rem;border:1px solid transparent;border-radius:.625rem;font-weight:650;text-decoration:none;background:var(--accent);color:var(--on-accent)}
.console :is(.more-actions,.causes .acts>li>details)>summary{background:var(--card);border-color:var(--control);color:var(--text)}
.more-actions>summary::after{content:"";width:.4375rem;height:.4375rem;border:solid;border-width:0 .125rem .125rem 0;rotate:45deg;translate:.25rem -.125rem}
.more-actions[open]>summary::after{rotate:225deg;translate:.25rem .125rem}
.more-actions>.acts{margin-top:.75rem}
.more-actions>.acts>li{background:var(--card)}
.acts.marked details[open]{padding:0 1rem 1rem;border:1px solid var(--line);border-radius:.75rem;background:var(--card)}
.acts.marked details[open]>summary{margin:1rem 0 .5rem}
.console .acts .danger>details>summary{color:var(--error)}
.console .acts.marked .danger>details>summary{background:var(--error);color:var(--card)}
.console .acts>li>details[open]>summary,.console .more-actions[open]>summary{background:none;border-color:transparent;padding-inline:0;color:var(--text)}
.acts>li>details[open]>summary{text-decoration:none;display:flex;justify-content:space-between;align-items:center;gap:1rem}
.acts>li>details[open]>summary::after{content:"×";font-size:1.5rem;line-height:1}
.code code{font-size:clamp(1.25rem,7vw,2.25rem);font-weight:650;letter-spacing:.04em;overflow-wrap:anywhere;direction:ltr;unicode-bidi:isolate;user-select:all}
.acts .danger>details[open]{border-inline-start:.25rem solid var(--error);padding-inline-start:.875rem}
.acts button.danger{background:var(--error);color:var(--card)}
.acts button.danger:hover{background:var(--error);filter:brightness(1.08)}
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
:is(button,.button).narrow{width:fit-content}
form.narrow{max-width:30rem}
.console .field select{display:block;width:100%;max-width:30rem;min-height:3rem;padding:.625rem .875rem;font:inherit;color:inherit;background:var(--card);border:1px solid var(--control);border-radius:.625rem}
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
.things .pairs{grid-template-columns:1fr}
.things .pairs dd{margin-bottom:.375rem}
}
@media (min-width:40rem){
.filters{grid-template-columns:1fr 1fr}
}
`;

export function consoleStyle(accent: AccentColours): ConsoleAsset {
  return styleAsset(
    "style",
    `${stylesheetOf(accent)}${houseStyle}${rules.replaceAll("\n", "")}${chartStyle}${overviewStyle}${laneStyle}${originsStyle}`,
  );
}
