import type { ChartColour } from "./chart.ts";

type Colours = Readonly<Record<ChartColour, string>>;

/** Successes are blue, so that those who do not tell red from green see the difference. */
export const lightChartColours: Colours = {
  ok: "#1f5fd6",
  cached: "#5b88dd",
  wrong: "#b86e00",
  unknown: "#857446",
  denied: "#8250df",
  blocked: "#c62828",
  tempfail: "#1a1f26",
  before: "#565f6b",
};

export const darkChartColours: Colours = {
  ok: "#5b8def",
  cached: "#a9c6ff",
  wrong: "#f0a83c",
  unknown: "#a8956a",
  denied: "#b08cf5",
  blocked: "#ff6b61",
  tempfail: "#e8ebf0",
  before: "#a7b0bc",
};

const properties = (colours: Colours): string =>
  Object.entries(colours)
    .map(([name, colour]) => `--c-${name}:${colour}`)
    .join(";");

const colourClasses = Object.keys(lightChartColours)
  .map((name) => `.c-${name}{--c:var(--c-${name})}`)
  .join("");

const rules = `
.charts{display:grid;gap:1.25rem;margin-top:1.25rem;grid-template-columns:repeat(auto-fill,minmax(min(22rem,100%),1fr))}
.charts>.chart:first-child{grid-column:1/-1}
.chart{min-width:0}
.console .chart h2{margin:.5rem 0 .5rem;font-size:1.0625rem}
.plot{display:grid;grid-template-columns:auto minmax(0,1fr)}
.plot svg{display:block;overflow:visible}
.plot text{fill:var(--muted);font-size:.75rem;font-variant-numeric:tabular-nums}
.plot .grid{stroke:var(--line);fill:none;vector-effect:non-scaling-stroke}
.plot .tick{stroke:var(--control)}
.mark{fill:var(--c)}
.line{stroke:var(--c);stroke-width:2;fill:none;vector-effect:non-scaling-stroke}
.line.dashes{stroke-dasharray:4 3}
.missed{fill:var(--error-soft)}
.limit{stroke:var(--error);stroke-width:1.5;stroke-dasharray:2 3;fill:none;vector-effect:non-scaling-stroke}
.hits rect{fill:transparent;width:1px;height:1px}
.hits rect:hover{fill:var(--text);fill-opacity:.08}
.legend{list-style:none;margin:.25rem 0 0;padding:0;display:flex;flex-wrap:wrap;gap:.125rem 1rem;font-size:.875rem;color:var(--muted)}
.legend b{color:var(--text);font-weight:650;font-variant-numeric:tabular-nums}
.legend .key{vertical-align:-.125rem}
.as-table{margin-top:.25rem;font-size:.875rem}
.scrolls{overflow-x:auto}
.numbers{border-collapse:collapse;font-variant-numeric:tabular-nums}
.numbers :is(th,td){padding:.25rem .75rem .25rem 0;text-align:end;border-bottom:1px solid var(--line);white-space:nowrap}
.numbers thead th{color:var(--muted);font-weight:600;white-space:normal;vertical-align:bottom;overflow-wrap:normal}
.numbers :is(th[scope=row],th:first-child){text-align:start;font-weight:400}
@media (forced-colors:active){.mark,.line{forced-color-adjust:none}}
`;

export const chartStyle = `:root{${properties(lightChartColours)}}@media (prefers-color-scheme:dark){:root{${properties(darkChartColours)}}}${colourClasses}${rules.replaceAll("\n", "")}`;
