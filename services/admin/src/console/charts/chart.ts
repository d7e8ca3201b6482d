import { type Html, html } from "@postern/shared/platform/pages";
import { joined as listed, t } from "../../texts/texts.ts";
import { stepText, tickText, timeTicks } from "./scales.ts";

/** Colours have names; `chart-style.ts` has their values for light and dark. */
export type ChartColour = "ok" | "cached" | "wrong" | "unknown" | "denied" | "blocked" | "tempfail" | "before";

/** Values of one kind: one for each step, undefined where there is none. */
export interface ChartSeries {
  readonly name: Html;
  readonly colour: ChartColour;
  readonly values: readonly (number | undefined)[];
  /** Bars are stacked in the order of the series; lines are drawn over them. */
  readonly shape: "bars" | "line" | "dashes";
  /** Takes the place of that of the chart. */
  readonly joined?: Chart["joined"];
}

export interface Chart {
  readonly title: Html;
  /** What it shows, in a sentence, for those who do not see it. */
  readonly description: Html;
  /** Begins of the steps, each as long as the next is away. */
  readonly times: readonly number[];
  readonly stepMs: number;
  readonly series: readonly ChartSeries[];
  /** Values of the horizontal lines, rising; the first and the last one are the ends of the axis. */
  readonly ticks: readonly number[];
  readonly isLogarithmic?: boolean;
  /** Where the objective is missed. */
  readonly objective?: { readonly value: number; readonly text: Html };
  /** A value on the axis, and in tooltips and the table. */
  readonly tickText: (value: number) => Html;
  readonly valueText: (value: number) => Html;
  /** The value of several steps as one, for the rows of the table. */
  readonly joined: (values: readonly number[]) => number;
  /** For the legend; absent: no sum is meaningful. */
  readonly total?: (values: readonly number[]) => Html;
}

/** Marks are drawn on a grid of this size and stretched to the width of the page; texts are not stretched. */
const width = 1000;
const height = 140;
/** Space above the highest tick, for half of its text. */
const above = 10;
const below = 22;
const gutter = 44;
const wholeHeight = above + height + below;
const maxRows = 12;

const known = (values: readonly (number | undefined)[]): readonly number[] =>
  values.filter((value) => value !== undefined);

const rounded = (value: number): string => String(Math.round(value * 10) / 10);

/** The vertical position of a value, from the top. */
function scaleOf({ ticks, isLogarithmic }: Chart): (value: number) => number {
  const [lowest = 0, highest = 1] = [ticks[0], ticks.at(-1)];
  const partOf = isLogarithmic
    ? (value: number) => Math.log(Math.max(value, lowest) / lowest) / Math.log(highest / lowest)
    : (value: number) => (value - lowest) / (highest - lowest);
  return (value) => height * (1 - Math.min(1, partOf(value)));
}

function bars({ series, times }: Chart, y: (value: number) => number): readonly Html[] {
  const step = width / times.length;
  const tops = times.map(() => 0);
  return series
    .filter(({ shape }) => shape === "bars")
    .map(({ values, colour }) => {
      let path = "";
      for (const [index, value = 0] of values.entries()) {
        if (value <= 0) continue;
        const [from, to] = [tops[index] ?? 0, (tops[index] ?? 0) + value];
        tops[index] = to;
        const left = rounded(index * step + step * 0.08);
        path += `M${left} ${rounded(y(from))}V${rounded(y(to))}h${rounded(step * 0.84)}V${rounded(y(from))}z`;
      }
      return path === "" ? html`` : html`<path class="mark c-${colour}" d="${path}"/>`;
    });
}

function lines({ series, times }: Chart, y: (value: number) => number): readonly Html[] {
  const step = width / times.length;
  return series
    .filter(({ shape }) => shape !== "bars")
    .map(({ values, colour, shape }) => {
      let path = "";
      let isDrawing = false;
      for (const [index, value] of values.entries()) {
        if (value !== undefined) {
          const at = rounded(y(value));
          // A value holds for its whole step, so that one alone is a line too.
          path += `${isDrawing ? "L" : "M"}${rounded((index + 0.1) * step)} ${at}H${rounded((index + 0.9) * step)}`;
        }
        isDrawing = value !== undefined;
      }
      return path === "" ? html`` : html`<path class="line ${shape} c-${colour}" d="${path}"/>`;
    });
}

function verticalAxis(chart: Chart, y: (value: number) => number): Html {
  return html`<svg class="axis" width="${gutter}" height="${wholeHeight}" aria-hidden="true">${chart.ticks.map(
    (tick) =>
      html`<text x="${gutter - 6}" y="${rounded(above + y(tick) + 4)}" text-anchor="end">${chart.tickText(tick)}</text>`,
  )}</svg>`;
}

function timeAxis({ times, stepMs }: Chart): readonly Html[] {
  const fromMs = times[0] ?? 0;
  const lengthMs = stepMs * times.length;
  return timeTicks(fromMs, fromMs + lengthMs).flatMap((timeMs) => {
    const part = (100 * (timeMs - fromMs)) / lengthMs;
    // A text in the middle of its mark would be cut off at the edges.
    if (part < 5 || part > 95) return [];
    const x = rounded(part);
    return [
      html`<line class="tick" x1="${x}%" x2="${x}%" y1="${above + height}" y2="${above + height + 4}"/><text x="${x}%" y="${wholeHeight - 4}" text-anchor="middle">${tickText(timeMs, lengthMs)}</text>`,
    ];
  });
}

/** What a step has, in words. They are the most of a page: the style gives each the width of a step. */
function tooltips({ times, stepMs, series, valueText }: Chart): readonly Html[] {
  const lengthMs = stepMs * times.length;
  return times.map((timeMs, index) => {
    const texts = series.flatMap(({ name, values }) => {
      const value = values[index];
      return value === undefined || value === 0 ? [] : [html`${name} ${valueText(value)}`];
    });
    return texts.length === 0
      ? html``
      : html`<rect x="${index}"><title>${stepText(timeMs, lengthMs)}: ${listed(texts)}</title></rect>`;
  });
}

function plot(chart: Chart): Html {
  const y = scaleOf(chart);
  const { title, description, objective, ticks } = chart;
  const limit = objective && rounded(y(objective.value));
  return html`<div class="plot" dir="ltr">${verticalAxis(chart, y)}<svg class="area" width="100%" height="${wholeHeight}" role="img" aria-label="${title}. ${description}"><svg y="${above}" width="100%" height="${height}" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none">${
    limit !== undefined && html`<rect class="missed" width="${width}" height="${limit}"/>`
  }<path class="grid" d="${ticks.map((tick) => `M0 ${rounded(y(tick))}H${width}`).join("")}"/>${bars(chart, y)}${lines(chart, y)}${
    limit !== undefined && html`<path class="limit" d="M0 ${limit}H${width}"/>`
  }</svg>${timeAxis(chart)}<svg class="hits" width="100%" height="100%" viewBox="0 0 ${chart.times.length} 1" preserveAspectRatio="none">${tooltips(chart)}</svg></svg></div>`;
}

function legend({ series, total, objective }: Chart): Html {
  return html`<ul class="legend">${series.map(
    ({ name, colour, shape, values }) =>
      html`<li><svg class="key" width="14" height="14" aria-hidden="true">${
        shape === "bars"
          ? html`<rect class="mark c-${colour}" width="14" height="14" rx="3"/>`
          : html`<path class="line ${shape} c-${colour}" d="M0 7H14"/>`
      }</svg> ${name}${total !== undefined && html` <b>${total(known(values))}</b>`}</li>`,
  )}${
    objective !== undefined &&
    html`<li><svg class="key" width="14" height="14" aria-hidden="true"><path class="limit" d="M0 7H14"/></svg> ${objective.text}</li>`
  }</ul>`;
}

/** The same as text: at most twelve rows of equal length, the latest first. */
function table({ title, times, stepMs, series, joined, valueText }: Chart): Html {
  const perRow = Math.ceil(times.length / maxRows);
  const lengthMs = stepMs * times.length;
  const starts = times.map((_, index) => index).filter((index) => index % perRow === 0);
  const cell = (values: readonly number[], join: Chart["joined"]): Html =>
    html`<td>${values.length === 0 ? "–" : valueText(join(values))}</td>`;
  return html`<details class="as-table"><summary>${t("chart.table")}<span class="hidden">: ${title}</span></summary><div class="scrolls" role="region" tabindex="0" aria-label="${t("chart.table")}: ${title}"><table class="numbers"><thead><tr><th scope="col">${t("chart.from")}</th>${series.map(
    ({ name }) => html`<th scope="col">${name}</th>`,
  )}</tr></thead><tbody>${starts
    .toReversed()
    .map(
      (start) =>
        html`<tr><th scope="row">${stepText(times[start] ?? 0, lengthMs)}</th>${series.map((one) =>
          cell(known(one.values.slice(start, start + perRow)), one.joined ?? joined),
        )}</tr>`,
    )}</tbody></table></div></details>`;
}

/** A chart with its legend, and its values as a table. */
export function chartFigure(chart: Chart): Html {
  const isEmpty = chart.series.every(({ values }) => values.every((value) => value === undefined || value === 0));
  return html`<section class="chart"><h2>${chart.title}</h2>${
    isEmpty ? html`<p class="lead">${t("chart.none")}</p>` : html`${plot(chart)}${legend(chart)}${table(chart)}`
  }</section>`;
}
